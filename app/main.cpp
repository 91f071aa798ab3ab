#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "app/commands/command.hpp"
#include "app/config/config.hpp"
#include "app/process/standard_descriptors.hpp"
#include "base/line_output.hpp"
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

/// Says why the program fails. A process that serves must end even if its log has no reader: another is
/// started in its place.
void print_error(const std::string& text) {
  LineOutput error(STDERR_FILENO);
  error.wait_for_room(std::chrono::seconds(1));
  error.write("waybill: " + text);
  error.finish();
}

}  // namespace
}  // namespace waybill::app

int main(int argc, char** argv) {
  using waybill::app::print_error;
  try {
    waybill::app::open_standard_descriptors();
    return waybill::app::run(argc, argv);
  } catch (const waybill::app::ConfigError& error) {
    print_error(error.what());
    return waybill::app::usage_error;
  } catch (const waybill::storage::StatementError& error) {
    std::string text = error.what();
    if (waybill::storage::misses_migration(error))
      text +=
          "\nthe schema is missing or old: run `waybill migrate`; if search_path does not lead to it, "
          "`waybill doctor` says so";
    if (waybill::storage::lacks_schema(error))
      text +=
          "\nsearch_path names no schema that exists and that the role may use: create one, or set "
          "another one with `alter role … set search_path = …`";
    print_error(text);
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return 1;
}
