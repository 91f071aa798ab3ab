#include "tests/cluster/machine.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace waybill::tests {
namespace {

namespace fs = std::filesystem;

void must_run(const std::vector<std::string>& command) {
  const Finished done = run(command);
  if (done.status == 0) return;
  std::string text;
  for (const std::string& word : command) text += word + " ";
  throw std::runtime_error(text + "failed: " + done.standard_error);
}

/// The number of a process's network namespace; 0 if the process has ended.
ino_t network_of(pid_t process) {
  struct stat status{};
  const std::string path = "/proc/" + std::to_string(process) + "/ns/net";
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

/// The file names in the first two words of a process's command line.
std::vector<std::string> programs_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
  std::vector<std::string> names;
  for (std::string word; names.size() < 2 && std::getline(file, word, '\0');) {
    word = word.substr(0, word.find(':'));  // a process of PostgreSQL: "postgres: waybill: walwriter"
    names.push_back(fs::path(word).filename());
  }
  return names;
}

std::vector<pid_t> processes_in(ino_t network) {
  std::vector<pid_t> result;
  std::error_code ended;
  for (const auto& entry : fs::directory_iterator("/proc", ended)) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process > 1 && network_of(process) == network) result.push_back(process);
  }
  return result;
}

}  // namespace

void enter_switch() {
  if (::unshare(CLONE_NEWNET) != 0) throw std::runtime_error("a network namespace needs root");
  // With a fixed address: otherwise the switch takes another one when a machine joins, and the others lose
  // it.
  for (const char* const command :
       {"ip link set lo up", "ip link add switch address 02:00:00:00:00:01 type bridge",
        "ip address add 10.0.0.1/24 dev switch", "ip link set switch up"}) {
    must_run({"sh", "-c", command});
  }
}

Machine::Machine(std::string name, std::string address)
    : name_(std::move(name)), address_(std::move(address)) {
  holder_ = std::make_unique<Process>(
      std::vector<std::string>{"unshare", "--net", "sh", "-c", "echo ready; exec tail -f /dev/null"});
  if (!holder_->wait_for_line("ready"))
    throw std::runtime_error("no network namespace: " + holder_->standard_error());
  const std::string process = std::to_string(holder_->pid());
  must_run({"ip", "link", "add", "v-" + name_, "type", "veth", "peer", "name", "eth0", "netns", process});
  must_run({"ip", "link", "set", "v-" + name_, "master", "switch", "up"});
  auto command = enter();
  command.insert(command.end(),
                 {"sh", "-c",
                  "ip link set lo up && ip address add " + address_ + "/24 dev eth0 && ip link set eth0 up"});
  must_run(command);
}

Machine::~Machine() {
  const ino_t network = network_of(holder_->pid());
  if (network == 0) return;
  for (const pid_t process : processes_in(network)) ::kill(process, SIGKILL);
  run({"ip", "link", "delete", "v-" + name_});  // the kernel removes the namespace later
}

std::vector<std::string> Machine::enter(std::string_view user) const {
  std::vector<std::string> command{"nsenter", "--net=/proc/" + std::to_string(holder_->pid()) + "/ns/net"};
  if (user.empty()) return command;
  command.insert(command.end(), {"setpriv", "--reuid=" + std::string(user), "--regid=" + std::string(user),
                                 "--init-groups", "--pdeathsig=TERM"});
  return command;
}

void Machine::cut() { must_run({"bridge", "link", "set", "dev", "v-" + name_, "state", "0"}); }

void Machine::mend() { must_run({"bridge", "link", "set", "dev", "v-" + name_, "state", "3"}); }

void Machine::change_rules(const std::string& verb, int port) {
  for (const char* const side : {"sport", "dport"}) {
    auto command = enter();
    command.insert(command.end(), {"ip", "rule", verb, "pref", "10", "ipproto", "tcp", side,
                                   std::to_string(port), "blackhole"});
    must_run(command);
  }
}

void Machine::block(int port) { change_rules("add", port); }

void Machine::unblock(int port) { change_rules("del", port); }

std::size_t Machine::signal(std::string_view program, int signal) const {
  std::size_t count = 0;
  for (const pid_t process : processes_in(network_of(holder_->pid()))) {
    for (const std::string& name : programs_of(process)) {
      if (name != program) continue;
      if (::kill(process, signal) == 0) ++count;
      break;
    }
  }
  return count;
}

}  // namespace waybill::tests
