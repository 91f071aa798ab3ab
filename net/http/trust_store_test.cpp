#include "net/http/trust_store.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace waybill::net {
namespace {

/// A self-signed certificate as PEM.
std::string certificate() {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> made(X509_new(), X509_free);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
  X509_set_pubkey(made.get(), key.get());
  EXPECT_NE(X509_sign(made.get(), key.get(), EVP_sha256()), 0);
  const std::unique_ptr<BIO, int (*)(BIO*)> memory(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509(memory.get(), made.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

/// The OpenSSL store that a context gets.
class Applied {
 public:
  explicit Applied(const TrustStore& trust) : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    trust.apply_to(context_.get());
  }
  X509_STORE* get() const { return SSL_CTX_get_cert_store(context_.get()); }

 private:
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
};

class TrustStoreTest : public testing::Test {
 protected:
  TrustStoreTest() {
    std::string folder = "/tmp/wb-trust-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = folder;
    write(certificate());
  }
  ~TrustStoreTest() override { std::filesystem::remove_all(folder_); }

  std::string file() const { return folder_ / "ca.pem"; }
  void write(const std::string& text) const { std::ofstream(file(), std::ios::trunc) << text; }

 private:
  std::filesystem::path folder_;
};

TEST_F(TrustStoreTest, StoresOfTheSameFileShareItsCertificates) {
  const TrustStore first(file());
  const TrustStore second(file());
  EXPECT_EQ(Applied(first).get(), Applied(second).get());
}

TEST_F(TrustStoreTest, AnotherFileIsNotTrusted) {
  const TrustStore system("");
  const TrustStore with_file(file());
  EXPECT_NE(Applied(system).get(), Applied(with_file).get());
  EXPECT_NE(Applied(TrustStore("")).get(), Applied(with_file).get());
}

TEST_F(TrustStoreTest, AFileThatHasChangedIsReadAgain) {
  const TrustStore before(file());
  write(certificate());
  const TrustStore after(file());
  EXPECT_NE(Applied(before).get(), Applied(after).get());
}

TEST_F(TrustStoreTest, AFileThatCannotBeReadIsNamedEvenIfItWasReadBefore) {
  const TrustStore before(file());
  std::filesystem::remove(file());
  try {
    const TrustStore after(file());
    FAIL() << "the file does not exist";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "cannot read the CA certificates of " + file());
  }
}

}  // namespace
}  // namespace waybill::net
