#include <cerrno>
#include <fstream>
#include <iostream>
#include <memory>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <system_error>

#include "app/commands/command.hpp"
#include "documents/merge_process.hpp"

namespace waybill::app {
namespace {

constexpr int most_seconds = 60;

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit both{.rlim_cur = most, .rlim_max = most};
  if (::setrlimit(resource, &both) != 0) throw std::system_error(errno, std::generic_category(), "setrlimit");
}

/// Takes from the process what reading a hostile file does not need. A limit cannot be raised again. Open
/// descriptors stay usable: the standard input and output. Without a number for a new one there are neither
/// files nor connections.
void restrict_process(rlim_t seconds) {
  // If the machine runs out of memory, this process is killed, not the API.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // Sanitizers reserve more address space than there is memory.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  limit(RLIMIT_AS, documents::merge_memory);
#endif
  limit(RLIMIT_CPU, seconds);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_NOFILE, 0);
}

}  // namespace

void add_merge_labels(const Command& program) {
  const Command merge = program.add("merge-labels", "Merges the labels of its input, for the API");
  merge.hide();
  const auto seconds = std::make_shared<int>(10);
  merge.option("--seconds", *seconds, "Processor time", 1, most_seconds);
  merge.runs([seconds](const Config&) {
    restrict_process(static_cast<rlim_t>(*seconds));
    std::ios::sync_with_stdio(false);
    documents::serve_merge(std::cin, std::cout);
    return 0;
  });
}

}  // namespace waybill::app
