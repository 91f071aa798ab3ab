#include "app/process/standard_descriptors.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace waybill::app {

void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one. It is inherited by child processes, as standard descriptors are.
    const int opened = ::open("/dev/null", O_RDWR);  // NOLINT(android-cloexec-open)
    if (opened != descriptor)
      throw std::system_error(errno, std::generic_category(), "cannot open /dev/null");
  }
}

}  // namespace waybill::app
