#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/obj_mac.h>
#include <stdint.h>

// Each function gives 1 where it worked, and 0 where libcrypto refused. Keys have 16 bytes.

/// One block of AES-128.
static inline int peat_aes_block(const uint8_t *key, const uint8_t *input, uint8_t *output) {
  int written = 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int ok = context && EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), NULL, key, NULL) == 1 &&
           EVP_CIPHER_CTX_set_padding(context, 0) == 1 &&
           EVP_EncryptUpdate(context, output, &written, input, 16) == 1 && written == 16;
  EVP_CIPHER_CTX_free(context);
  return ok;
}

/// AES-CMAC (RFC 4493), 16 bytes.
static inline int peat_cmac(const uint8_t *key, const uint8_t *data, size_t size, uint8_t *output) {
  size_t written = 0;
  EVP_MAC *mac = EVP_MAC_fetch(NULL, "CMAC", NULL);
  EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
  OSSL_PARAM parameters[2] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, (char *)"AES-128-CBC", 0),
      OSSL_PARAM_construct_end()};
  int ok = context && EVP_MAC_init(context, key, 16, parameters) == 1 &&
           EVP_MAC_update(context, data, size) == 1 &&
           EVP_MAC_final(context, output, &written, 16) == 1 && written == 16;
  EVP_MAC_CTX_free(context);
  EVP_MAC_free(mac);
  return ok;
}

/// AES-CCM (RFC 3610) with a nonce of 13 bytes: writes `size` bytes and then the code.
static inline int peat_ccm_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *added, size_t added_size,
    const uint8_t *plain, size_t size, size_t code_size, uint8_t *output) {
  int written = 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int ok =
      context && EVP_EncryptInit_ex(context, EVP_aes_128_ccm(), NULL, NULL, NULL) == 1 &&
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_CCM_SET_IVLEN, 13, NULL) == 1 &&
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_CCM_SET_TAG, (int)code_size, NULL) == 1 &&
      EVP_EncryptInit_ex(context, NULL, NULL, key, nonce) == 1 &&
      EVP_EncryptUpdate(context, NULL, &written, NULL, (int)size) == 1 &&
      (added_size == 0 ||
       EVP_EncryptUpdate(context, NULL, &written, added, (int)added_size) == 1) &&
      EVP_EncryptUpdate(context, output, &written, plain, (int)size) == 1 &&
      EVP_CIPHER_CTX_ctrl(
          context, EVP_CTRL_CCM_GET_TAG, (int)code_size, output + size) == 1;
  EVP_CIPHER_CTX_free(context);
  return ok;
}

/// Opens `size` bytes that the code follows; 0 also where the code is wrong.
static inline int peat_ccm_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *added, size_t added_size,
    const uint8_t *sealed, size_t size, size_t code_size, uint8_t *output) {
  int written = 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int ok =
      context && EVP_DecryptInit_ex(context, EVP_aes_128_ccm(), NULL, NULL, NULL) == 1 &&
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_CCM_SET_IVLEN, 13, NULL) == 1 &&
      EVP_CIPHER_CTX_ctrl(
          context, EVP_CTRL_CCM_SET_TAG, (int)code_size, (void *)(sealed + size)) == 1 &&
      EVP_DecryptInit_ex(context, NULL, NULL, key, nonce) == 1 &&
      EVP_DecryptUpdate(context, NULL, &written, NULL, (int)size) == 1 &&
      (added_size == 0 ||
       EVP_DecryptUpdate(context, NULL, &written, added, (int)added_size) == 1) &&
      EVP_DecryptUpdate(context, output, &written, sealed, (int)size) == 1;
  EVP_CIPHER_CTX_free(context);
  return ok;
}

/// HMAC-SHA256, 32 bytes.
static inline int peat_hmac_sha256(
    const uint8_t *key, size_t key_size, const uint8_t *data, size_t size, uint8_t *output) {
  unsigned int written = 0;
  return HMAC(EVP_sha256(), key, (int)key_size, data, size, output, &written) != NULL &&
         written == 32;
}

/// X and Y of the product of a private key and a point of P-256, or of its base point where `point`
/// is NULL; 0 also where the point is not on the curve.
static inline int peat_p256_multiply(
    const uint8_t *private_key, const uint8_t *point, uint8_t *output) {
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  BN_CTX *scratch = BN_CTX_secure_new();
  BIGNUM *scalar = BN_secure_new(), *x = BN_new(), *y = BN_new();
  EC_POINT *other = group ? EC_POINT_new(group) : NULL;
  EC_POINT *product = group ? EC_POINT_new(group) : NULL;
  int ok = scratch && scalar && x && y && other && product && BN_bin2bn(private_key, 32, scalar);
  if (ok && point)
    ok = BN_bin2bn(point, 32, x) && BN_bin2bn(point + 32, 32, y) &&
         EC_POINT_set_affine_coordinates(group, other, x, y, scratch) == 1 &&
         EC_POINT_mul(group, product, NULL, other, scalar, scratch) == 1;
  else if (ok)
    ok = EC_POINT_mul(group, product, scalar, NULL, NULL, scratch) == 1;
  ok = ok && EC_POINT_get_affine_coordinates(group, product, x, y, scratch) == 1 &&
       BN_bn2binpad(x, output, 32) == 32 && BN_bn2binpad(y, output + 32, 32) == 32;
  EC_POINT_clear_free(product);
  EC_POINT_free(other);
  BN_clear_free(scalar);
  BN_clear_free(x);
  BN_clear_free(y);
  BN_CTX_free(scratch);
  EC_GROUP_free(group);
  return ok;
}
