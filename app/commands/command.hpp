#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.hpp"

namespace CLI {
class App;
}

namespace waybill::app {

/// The command chosen on the command line; `run` returns the exit status.
struct Chosen {
  std::function<int(const Config&)> run;
};

/// The value of an option of one command.
struct OptionValue {
  std::string name = {};  // in the help, such as "URL"; TEXT if empty
  bool is_required = false;
  bool shows_default = false;             // the help shows the variable's first value
  std::vector<std::string> allowed = {};  // any if empty
};

/// Declares a command of the command line, its options and its own commands. Only command_line.cpp includes
/// the parser, whose header takes seconds to compile. The variables of options are set when the line is
/// parsed, before the command runs; the function of `runs` keeps them alive. One thread.
class Command {
 public:
  Command(CLI::App& parsed, Chosen& chosen) : parsed_(&parsed), chosen_(&chosen) {}

  Command add(const std::string& name, const std::string& help) const;
  /// Adds a command that needs one of its own commands.
  Command add_group(const std::string& name, const std::string& help) const;
  /// Leaves the command out of the help.
  void hide() const;
  void flag(const std::string& name, bool& is_given, const std::string& help) const;
  void option(const std::string& name, std::string& text, const std::string& help,
              const OptionValue& value = {}) const;
  /// An optional number from `least` to `most`, whose help shows its first value.
  void option(const std::string& name, int& number, const std::string& help, int least, int most) const;
  void runs(std::function<int(const Config&)> run) const;

 private:
  CLI::App* parsed_;
  Chosen* chosen_;
};

/// A function that declares a command on `program`.
using AddCommand = void(const Command& program);

AddCommand add_up;
AddCommand add_api;
AddCommand add_worker;
AddCommand add_migrate;
AddCommand add_token;
AddCommand add_business;
AddCommand add_key;
AddCommand add_doctor;
AddCommand add_openapi;
AddCommand add_demo;
AddCommand add_vapid_keys;
AddCommand add_version;
AddCommand add_docs;
AddCommand add_merge_labels;
AddCommand add_console_link;

inline constexpr int usage_error = 2;

/// Parses the command line: sets `given` to the options of all commands and `chosen` to the command. Returns
/// the exit status if no command runs: after help 0, after a refused line, whose reason is printed,
/// usage_error.
std::optional<int> parse_command_line(int argc, char** argv, GivenValues& given, Chosen& chosen);

}  // namespace waybill::app
