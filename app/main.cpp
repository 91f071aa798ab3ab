#include <exception>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/command.hpp"
#include "app/config.hpp"
#include "storage/errors.hpp"

namespace waybill::app {
namespace {

constexpr int usage_error = 2;

AddCommand* const commands[] = {add_up,      add_api,  add_worker,     add_migrate, add_token, add_business,
                                add_openapi, add_demo, add_vapid_keys, add_version, add_docs};

std::string help_text(const Option& option) {
  std::string text(option.help);
  std::erase(text, '`');
  if (!option.default_text.empty()) text += " [" + std::string(option.default_text) + "]";
  return text + " (" + option.variable() + ")";
}

/// The options are the program's: they may stand before or after the command.
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

int run(int argc, char** argv) {
  CLI::App program("waybill: orders, shipments and the events they cause, delivered", "waybill");
  program.require_subcommand(1);
  program.fallthrough();
  program.get_formatter()->column_width(44);
  GivenValues given;
  Chosen chosen;
  declare_options(program, given);
  for (AddCommand* add : commands) add(program, chosen);
  for (CLI::App* command : program.get_subcommands({})) command->footer("Its options: waybill --help");
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : usage_error;
  }
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  const Config config = read_config(given, environment);
  configure_logging(config.log_format, config.log_level);
  return chosen.run(config);
}

}  // namespace
}  // namespace waybill::app

int main(int argc, char** argv) {
  try {
    return waybill::app::run(argc, argv);
  } catch (const waybill::app::ConfigError& error) {
    std::cerr << "waybill: " << error.what() << '\n';
    return waybill::app::usage_error;
  } catch (const waybill::storage::StatementError& error) {
    constexpr std::string_view undefined_table = "42P01";
    std::cerr << "waybill: " << error.what() << '\n';
    if (error.sqlstate() == undefined_table)
      std::cerr << "the schema is missing or old: run `waybill migrate`\n";
  } catch (const std::exception& error) {
    std::cerr << "waybill: " << error.what() << '\n';
  }
  return 1;
}
