#include <iostream>

#include "app/commands/command.hpp"

namespace waybill::app {

void add_version(CLI::App& program, Chosen& chosen) {
  program.add_subcommand("version", "Prints the version")->callback([&chosen] {
    chosen.run = [](const Config&) {
      std::cout << WAYBILL_VERSION << '\n';
      return 0;
    };
  });
}

}  // namespace waybill::app
