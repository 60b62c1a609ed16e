"""A headless Chromium by its driver's own protocol (W3C WebDriver), with the standard library alone."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


class Browser:
    """One browser; `close` ends it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="peat-report-")
        self.log = open(os.path.join(self.folder, "driver.log"), "wb")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.session = None
        try:
            self.address = f"http://127.0.0.1:{self._port()}"
            arguments = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                         "--disable-dev-shm-usage", "--disable-background-networking",
                         "--force-color-profile=srgb", "--window-size=1240,900",
                         "--user-data-dir=" + os.path.join(self.folder, "profile")]
            if os.geteuid() == 0:
                arguments.append("--no-sandbox")
            answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:chromeOptions": {"args": arguments},
                "goog:loggingPrefs": {"browser": "ALL"}}}})
            self.session = answer["sessionId"]
        except BaseException:
            self.close()
            raise

    def _port(self):
        for line in self.driver.stdout:
            if "successfully on port" in line:
                return int(line.rstrip().rstrip(".").split()[-1])
        raise SystemExit("chromedriver ended before it told its port")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"].splitlines()[0]) from None

    def _do(self, path, body):
        return self._call("POST", f"/session/{self.session}/{path}", body)

    def open(self, url):
        self._do("url", {"url": url})

    def run(self, script, *arguments):
        return self._do("execute/sync", {"script": script, "args": list(arguments)})

    def chrome(self, command, **parameters):
        return self._do("goog/cdp/execute", {"cmd": command, "params": parameters})

    def console(self):
        return [entry["message"] for entry in self._do("se/log", {"type": "browser"})]

    def keys(self, *keys):
        """Presses keys one after the other at what has the focus."""
        names = {"Left": "\ue012", "Right": "\ue014", "Home": "\ue011", "Tab": "\ue004"}
        actions = []
        for key in keys:
            key = names.get(key, key)
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._do("actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def drag(self, start, end):
        """Presses at a place of the window, moves, and lets go; a click where both are one."""
        move = lambda place: {"type": "pointerMove", "duration": 20, "x": round(place[0]),
                              "y": round(place[1]), "origin": "viewport"}
        self._do("actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            move(start), {"type": "pointerDown", "button": 0}, move(end),
            {"type": "pointerUp", "button": 0}]}]})

    def hover(self, place):
        self._do("actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": round(place[0]), "y": round(place[1]),
             "origin": "viewport"}]}]})

    def wheel(self, place, delta):
        self._do("actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "duration": 0, "x": round(place[0]), "y": round(place[1]),
             "deltaX": 0, "deltaY": delta, "origin": "viewport"}]}]})

    def shape(self, width, height=900, scheme="light", media=""):
        self.chrome("Emulation.setDeviceMetricsOverride", width=width, height=height,
                    deviceScaleFactor=1, mobile=False)
        self.chrome("Emulation.setEmulatedMedia", media=media,
                    features=[{"name": "prefers-color-scheme", "value": scheme}])
        time.sleep(0.15)

    def picture(self, path):
        size = self.run("return [document.documentElement.clientWidth,"
                        "document.documentElement.scrollHeight]")
        data = self.chrome("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                           clip={"x": 0, "y": 0, "width": size[0], "height": min(size[1], 16000),
                                 "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    def paper(self, path):
        data = self.chrome("Page.printToPDF", printBackground=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    def close(self):
        try:
            if self.session:
                self._call("DELETE", f"/session/{self.session}")
        except (OSError, AssertionError):
            pass
        self.driver.terminate()
        try:
            self.driver.wait(10)
        except subprocess.TimeoutExpired:
            self.driver.kill()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
