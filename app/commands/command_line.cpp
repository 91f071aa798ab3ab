#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/command.hpp"
#include "app/config/config.hpp"
#include "base/joined_texts.hpp"
#include "base/number.hpp"

namespace waybill::app {
namespace {

AddCommand* const commands[] = {add_up,           add_api,        add_worker,  add_migrate, add_token,
                                add_console_link, add_business,   add_key,     add_doctor,  add_openapi,
                                add_demo,         add_vapid_keys, add_version, add_docs,    add_merge_labels};

std::string help_text(const Option& option) {
  std::string text(option.help);
  std::erase(text, '`');
  if (!option.default_text.empty()) text += " [" + std::string(option.default_text) + "]";
  return text + " (" + option.variable() + ")";
}

/// Adds to a command's help the program's options that the command uses.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override {
    std::string subcommands = CLI::Formatter::make_subcommands(app, mode);
    if (app->get_parent() == nullptr || mode == CLI::AppFormatMode::Sub) return subcommands;
    const auto settings = settings_of(app);
    return (settings.empty() ? "" : make_group("Settings", false, settings)) + subcommands;
  }

 private:
  static std::vector<const CLI::Option*> settings_of(const CLI::App* command) {
    const CLI::App* program = command->get_parent();
    for (; program->get_parent() != nullptr; program = program->get_parent()) command = program;
    std::vector<const CLI::Option*> settings;
    for (const Option& option : options()) {
      if (option.is_used_by(command->get_name())) settings.push_back(program->get_option(option.flag()));
    }
    if (!settings.empty()) settings.insert(settings.begin(), program->get_option("--config"));
    return settings;
  }
};

/// Prints the parser's message, which names a word that is not a command, and returns the exit status.
int refuse(const CLI::App& program, const CLI::ParseError& error) {
  const auto unknown = program.remaining(true);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !unknown.empty()) {
    program.exit(CLI::ExtrasError(unknown));
    return usage_error;
  }
  return program.exit(error) == 0 ? 0 : usage_error;
}

/// Declares the options on the program, so that they may precede or follow the command.
void declare_options(CLI::App& program, GivenValues& given) {
  program.add_option("--config", "A TOML file of these options. (WAYBILL_CONFIG)")
      ->each([&given](const std::string& value) { given["config"] = {value}; })
      ->type_name("FILE");
  for (const Option& option : options()) {
    auto take = [&given, &option](const std::string& value) {
      auto& values = given[std::string(option.name)];
      if (!option.repeatable) values.clear();
      values.push_back(value);
    };
    const std::string help = help_text(option);
    if (option.value_name.empty()) {
      program.add_flag(option.flag(), help)->each(take);
    } else {
      CLI::Option* declared = program.add_option(option.flag(), help)->each(take);
      declared->type_name(std::string(option.value_name));
      if (option.repeatable) {
        declared->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args(false);
      } else {
        declared->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      }
    }
  }
}

}  // namespace

Command Command::add(const std::string& name, const std::string& help) const {
  return {*parsed_->add_subcommand(name, help), *chosen_};
}

Command Command::add_group(const std::string& name, const std::string& help) const {
  return {*parsed_->add_subcommand(name, help)->require_subcommand(1), *chosen_};
}

void Command::hide() const { parsed_->group(""); }

void Command::flag(const std::string& name, bool& is_given, const std::string& help) const {
  parsed_->add_flag(name, is_given, help);
}

void Command::option(const std::string& name, std::string& text, const std::string& help,
                     const OptionValue& value) const {
  CLI::Option* declared = parsed_->add_option(name, text, help)->required(value.is_required);
  if (!value.name.empty()) declared->type_name(value.name);
  if (value.shows_default) declared->capture_default_str();
  if (value.allowed.empty()) return;
  const auto fault = [allowed = value.allowed](const std::string& given) {
    if (std::ranges::find(allowed, given) != allowed.end()) return std::string();
    return "must be " + joined_texts(allowed, " or ") + ", not \"" + given + '"';
  };
  declared->check(CLI::Validator(fault, "{" + joined_texts(value.allowed, ",") + "}"));
}

void Command::option(const std::string& name, int& number, const std::string& help, int least,
                     int most) const {
  const std::string bounds = std::to_string(least) + " to " + std::to_string(most);
  const auto fault = [=](const std::string& given) {
    const auto parsed = parse_number<int>(given);
    return parsed && *parsed >= least && *parsed <= most ? "" : "must be an integer from " + bounds;
  };
  parsed_->add_option(name, number, help)->check(CLI::Validator(fault, bounds))->capture_default_str();
}

void Command::runs(std::function<int(const Config&)> run) const {
  parsed_->callback([chosen = chosen_, run = std::move(run)] { chosen->run = run; });
}

std::optional<int> parse_command_line(int argc, char** argv, GivenValues& given, Chosen& chosen) {
  CLI::App program("waybill: runs workflows on the events of orders, shipments, customers and products",
                   "waybill");
  program.require_subcommand(1);
  program.fallthrough();
  program.formatter(std::make_shared<HelpFormatter>());
  program.get_formatter()->column_width(44);
  declare_options(program, given);
  for (AddCommand* add : commands) add(Command(program, chosen));
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return refuse(program, error);
  }
  return std::nullopt;
}

}  // namespace waybill::app
