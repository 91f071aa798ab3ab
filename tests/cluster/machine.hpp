#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "tests/harness/process.hpp"

namespace waybill::tests {

/// Moves this process into a network namespace of its own, with a switch that has the address 10.0.0.1. Needs
/// root, and a process that has started no thread. Throws std::runtime_error.
void enter_switch();

/// A network namespace with one address on the switch. It shares the file system with the test. Its processes
/// are killed with the object. For one thread at a time.
class Machine {
 public:
  /// `name` has at most 12 characters and is unique.
  Machine(std::string name, std::string address);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const std::string& name() const { return name_; }
  const std::string& address() const { return address_; }
  /// The prefix of a command line that runs a command on the machine, as `user` unless that is empty.
  std::vector<std::string> enter(std::string_view user = {}) const;

  /// Drops all packets from and to the machine without an error: its connections become half-open.
  void cut();
  void mend();
  /// Drops the TCP packets of a port, of both directions, that the machine sends to others.
  void block(int port);
  void unblock(int port);

  /// Sends a signal to the machine's processes whose program or, for a script, interpreter's argument has
  /// this file name. Returns how many there were.
  std::size_t signal(std::string_view program, int signal) const;

 private:
  void change_rules(const std::string& verb, int port);

  std::string name_;
  std::string address_;
  std::unique_ptr<Process> holder_;
};

}  // namespace waybill::tests
