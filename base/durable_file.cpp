#include "base/durable_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "base/crypto.hpp"

namespace waybill {
namespace {

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags) : value_(::open(path.c_str(), flags, 0600)) {
    if (value_ < 0) fail(path);
  }
  ~Descriptor() { ::close(value_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write(std::string_view text, const std::filesystem::path& path) const {
    while (!text.empty()) {
      const auto written = ::write(value_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void sync(const std::filesystem::path& path) const {
    if (::fsync(value_) != 0) fail(path);
  }

  [[noreturn]] static void fail(const std::filesystem::path& path) {
    throw std::system_error(errno, std::generic_category(), path.string());
  }

 private:
  int value_;
};

}  // namespace

void write_durably(const std::filesystem::path& file, std::string_view text) {
  const auto directory = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const auto draft = directory / ("." + file.filename().string() + "." + hex(random_bytes(4)));
  try {
    const Descriptor out(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
    out.write(text, draft);
    out.sync(draft);
    if (::rename(draft.c_str(), file.c_str()) != 0) Descriptor::fail(file);
  } catch (...) {
    ::unlink(draft.c_str());
    throw;
  }
  Descriptor(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC).sync(directory);
}

}  // namespace waybill
