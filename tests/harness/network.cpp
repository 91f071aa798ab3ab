#include "tests/harness/network.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <netinet/in.h>
#include <sched.h>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace waybill::tests {

int free_port() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) throw std::runtime_error("no socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool bound = bind(listener, any, size) == 0 && getsockname(listener, any, &size) == 0;
  close(listener);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

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
