#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "app/commands/command.hpp"
#include "app/config/config.hpp"
#include "app/process/standard_descriptors.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::app {
namespace {

int run(int argc, char** argv) {
  GivenValues given;
  Chosen chosen;
  if (const auto status = parse_command_line(argc, argv, given, chosen)) return *status;
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  const Config config = read_config(given, environment);
  configure_logging(config.log_format, config.log_level);
  const int status = chosen.run(config);
  if (status == 0 && !std::cout.flush()) {
    throw std::runtime_error("cannot write to the standard output");
  }
  return status;
}

}  // namespace
}  // namespace waybill::app

int main(int argc, char** argv) {
  try {
    waybill::app::open_standard_descriptors();
    return waybill::app::run(argc, argv);
  } catch (const waybill::app::ConfigError& error) {
    std::cerr << "waybill: " << error.what() << '\n';
    return waybill::app::usage_error;
  } catch (const waybill::storage::StatementError& error) {
    std::cerr << "waybill: " << error.what() << '\n';
    if (waybill::storage::misses_migration(error))
      std::cerr << "the schema is missing or old: run `waybill migrate`; if search_path does not lead to it, "
                   "`waybill doctor` says so\n";
    if (waybill::storage::lacks_schema(error))
      std::cerr << "search_path names no schema that exists and that the role may use: create one, or set "
                   "another one with `alter role … set search_path = …`\n";
  } catch (const std::exception& error) {
    std::cerr << "waybill: " << error.what() << '\n';
  }
  return 1;
}
