#include "tests/harness/network.hpp"

#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <sched.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace waybill::tests {

bool PrivateNetwork::available() {
  return geteuid() == 0 && run({"unshare", "--net", "--mount", "sh", "-c", "ip link set lo up"}).status == 0;
}

PrivateNetwork::PrivateNetwork(const std::vector<std::string>& addresses) {
  set_hosts("127.0.0.1 localhost\n");
  std::string script =
      "set -e; mount --bind " + (directory_ / "hosts").string() + " /etc/hosts; ip link set lo up; ";
  for (const std::string& address : addresses) script += "ip address add " + address + "/32 dev lo; ";
  holder_ = std::make_unique<Process>(std::vector<std::string>{
      "unshare", "--net", "--mount", "sh", "-c", script + "echo ready; exec tail -f /dev/null"});
  if (!holder_->wait_for_line("ready"))
    throw std::runtime_error("no private network: " + holder_->standard_error());
}

std::vector<std::string> PrivateNetwork::enter() const {
  return {"nsenter", "--net", "--mount", "--target", std::to_string(holder_->pid())};
}

void PrivateNetwork::inside(const std::function<void()>& act) const {
  std::exception_ptr failure;
  std::thread([&] {
    try {
      const std::string path = "/proc/" + std::to_string(holder_->pid()) + "/ns/net";
      const int namespace_fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
      const bool entered = namespace_fd >= 0 && setns(namespace_fd, CLONE_NEWNET) == 0;
      if (namespace_fd >= 0) close(namespace_fd);
      if (!entered) throw std::runtime_error("cannot enter " + path);
      act();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

void PrivateNetwork::set_hosts(const std::string& lines) {
  // Written in place because this file itself is mounted.
  std::ofstream(directory_ / "hosts", std::ios::trunc) << lines;
}

}  // namespace waybill::tests
