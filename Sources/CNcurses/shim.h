#pragma once
// Functions instead of macros, and wide characters.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

// What the library has as macros or variables only.
static inline WINDOW *peat_screen(void) { return stdscr; }
static inline int peat_rows(void) { return getmaxy(stdscr); }
static inline int peat_columns(void) { return getmaxx(stdscr); }
static inline attr_t peat_attribute_bold(void) { return A_BOLD; }
static inline attr_t peat_attribute_dim(void) { return A_DIM; }
static inline attr_t peat_attribute_reverse(void) { return A_REVERSE; }
static inline attr_t peat_color_pair(int pair) { return COLOR_PAIR(pair); }

/// Takes the user's locale; whether it shows UTF-8.
static inline int peat_locale_is_utf8(void) {
  setlocale(LC_ALL, "");
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/// Has presses of the first button and turns of the wheel told as they come.
static inline void peat_mouse_begin(void) {
  mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
  mouseinterval(0);
}

/// What a mouse did and where: 1 a press, 2 the wheel up, 3 down, 0 nothing of these.
static inline int peat_mouse(int *row, int *column) {
  MEVENT event;
  if (getmouse(&event) != OK) return 0;
  *row = event.y;
  *column = event.x;
  if (event.bstate & BUTTON1_PRESSED) return 1;
  if (event.bstate & BUTTON4_PRESSED) return 2;
  return event.bstate & BUTTON5_PRESSED ? 3 : 0;
}

/// Begins the screen on standard output with keys from a descriptor; 0 where terminfo(5) does not
/// know the terminal. newterm gives an error back, where initscr would end the process.
static inline int peat_begin(int keys) {
  FILE *input = keys == 0 ? stdin : fdopen(keys, "r");
  return input != NULL && newterm(NULL, stdout, input) != NULL;
}
