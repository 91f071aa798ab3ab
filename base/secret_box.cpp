#include "base/secret_box.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <sodium.h>

namespace waybill {
namespace {

constexpr std::size_t nonce_size = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_size = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(std::tuple_size_v<SecretBox::Key> == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);

const unsigned char* as_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view problem) {
  throw SecretError("secret key file " + file.string() + ": " + std::string(problem));
}

[[noreturn]] void fail_with_errno(const std::filesystem::path& file, std::string_view problem) {
  fail(file, std::string(problem) + ": " + std::error_code(errno, std::generic_category()).message());
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int value) : value_(value) {}
  ~FileDescriptor() {
    if (value_ >= 0) ::close(value_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

void write_durably(const std::filesystem::path& file, std::string_view text) {
  const FileDescriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (descriptor.get() < 0) fail_with_errno(file, "cannot be created");
  if (::write(descriptor.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::fsync(descriptor.get()) != 0) {
    fail_with_errno(file, "cannot be written");
  }
}

void sync_directory(const std::filesystem::path& directory) {
  const FileDescriptor descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0 || ::fsync(descriptor.get()) != 0) fail_with_errno(directory, "cannot be synced");
}

void make_key_file(const std::filesystem::path& file) {
  Bytes key = random_bytes(std::tuple_size_v<SecretBox::Key>);
  std::string text = hex(key) + "\n";
  // A link fails if the file exists, where a rename would replace it: processes that start at the same time
  // all read the key of the first.
  std::filesystem::path draft = file;
  draft += "." + hex(random_bytes(8)) + ".new";
  try {
    write_durably(draft, text);
    if (::link(draft.c_str(), file.c_str()) != 0 && errno != EEXIST)
      fail_with_errno(file, "cannot be created");
    ::unlink(draft.c_str());
    sync_directory(file.has_parent_path() ? file.parent_path() : std::filesystem::path("."));
  } catch (...) {
    ::unlink(draft.c_str());
    throw;
  }
  sodium_memzero(key.data(), key.size());
  sodium_memzero(text.data(), text.size());
}

/// Writes a hash of purpose and secret to `nonce`. Its key is derived, so no other hash under `key` is equal
/// to it; the size ends the purpose, so no other pair has the same text.
void hash_to_nonce(std::string_view secret, std::string_view purpose, const SecretBox::Key& key,
                   unsigned char* nonce) {
  constexpr std::string_view context = "waybill nonce key";
  SecretBox::Key nonce_key{};
  crypto_generichash(nonce_key.data(), nonce_key.size(), as_bytes(context), context.size(), key.data(),
                     key.size());
  const std::uint64_t purpose_size = purpose.size();
  std::array<unsigned char, sizeof purpose_size> size_bytes{};
  std::memcpy(size_bytes.data(), &purpose_size, sizeof purpose_size);
  crypto_generichash_state state;
  crypto_generichash_init(&state, nonce_key.data(), nonce_key.size(), nonce_size);
  crypto_generichash_update(&state, size_bytes.data(), size_bytes.size());
  crypto_generichash_update(&state, as_bytes(purpose), purpose.size());
  crypto_generichash_update(&state, as_bytes(secret), secret.size());
  crypto_generichash_final(&state, nonce, nonce_size);
  sodium_memzero(nonce_key.data(), nonce_key.size());
}

}  // namespace

SecretBox::SecretBox(std::vector<Key> keys) : keys_(std::move(keys)) {
  if (keys_.empty()) throw std::invalid_argument("a SecretBox needs a key");
}

SecretBox::SecretBox(const Key& key) : SecretBox(std::vector{key}) {}

SecretBox::~SecretBox() {
  for (Key& key : keys_) sodium_memzero(key.data(), key.size());
}

std::int64_t SecretBox::id_of(const Key& key) {
  constexpr std::string_view context = "waybill key id";
  std::array<unsigned char, crypto_generichash_BYTES_MIN> hash{};
  crypto_generichash(hash.data(), hash.size(), as_bytes(context), context.size(), key.data(), key.size());
  std::int64_t id = 0;
  std::memcpy(&id, hash.data(), sizeof id);
  return id;
}

std::vector<std::int64_t> SecretBox::key_ids() const {
  std::vector<std::int64_t> ids;
  ids.reserve(keys_.size());
  for (const Key& key : keys_) ids.push_back(id_of(key));
  return ids;
}

SecretBox::Key SecretBox::read_key(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) fail_with_errno(file, "cannot be read");
  std::array<char, 66> text{};  // 64 digits, a newline, and one byte to detect longer files
  input.read(text.data(), text.size());
  auto length = static_cast<std::size_t>(input.gcount());
  if (length == 65 && text[64] == '\n') length = 64;
  Key key{};
  std::size_t decoded = 0;
  const bool well_formed =
      length == 64 &&
      sodium_hex2bin(key.data(), key.size(), text.data(), length, nullptr, &decoded, nullptr) == 0 &&
      decoded == key.size();
  sodium_memzero(text.data(), text.size());
  if (!well_formed) fail(file, "must contain 64 hexadecimal digits and nothing else");
  return key;
}

SecretBox::Key SecretBox::read_or_make_key(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) make_key_file(file);
  return read_key(file);
}

Bytes SecretBox::seal(std::string_view secret, std::string_view purpose) const {
  Bytes sealed(nonce_size + secret.size() + tag_size);
  fill_random(std::span(sealed).first(nonce_size));
  encrypt(secret, purpose, keys_[sealing_key_], sealed);
  return sealed;
}

Bytes SecretBox::seal_alike(std::string_view secret, std::string_view purpose) const {
  const Key& key = keys_[sealing_key_];
  Bytes sealed(nonce_size + secret.size() + tag_size);
  hash_to_nonce(secret, purpose, key, sealed.data());
  encrypt(secret, purpose, key, sealed);
  return sealed;
}

void SecretBox::encrypt(std::string_view secret, std::string_view purpose, const Key& key, Bytes& sealed) {
  crypto_aead_xchacha20poly1305_ietf_encrypt(sealed.data() + nonce_size, nullptr, as_bytes(secret),
                                             secret.size(), as_bytes(purpose), purpose.size(), nullptr,
                                             sealed.data(), key.data());
}

std::string SecretBox::open(std::span<const std::uint8_t> sealed, std::string_view purpose) const {
  return open_with_key(sealed, purpose).secret;
}

SecretBox::Opened SecretBox::open_with_key(std::span<const std::uint8_t> sealed,
                                           std::string_view purpose) const {
  if (sealed.size() < nonce_size + tag_size) throw SecretError("a sealed value is too short");
  std::string secret(sealed.size() - nonce_size - tag_size, '\0');
  const auto box = sealed.subspan(nonce_size);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(reinterpret_cast<unsigned char*>(secret.data()), nullptr,
                                                   nullptr, box.data(), box.size(), as_bytes(purpose),
                                                   purpose.size(), sealed.data(), keys_[i].data()) == 0) {
      return {std::move(secret), i};
    }
  }
  throw SecretError(
      "a sealed value cannot be opened: the key is another one, or the value was altered or moved");
}

}  // namespace waybill
