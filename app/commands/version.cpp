#include "base/version.hpp"

#include <iostream>

#include "app/commands/command.hpp"

namespace waybill::app {

void add_version(const Command& program) {
  program.add("version", "Prints the version").runs([](const Config&) {
    std::cout << version_of_program() << '\n';
    return 0;
  });
}

}  // namespace waybill::app
