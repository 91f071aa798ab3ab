#include "api/route/openapi.hpp"

#include <iostream>

#include "app/commands/command.hpp"

namespace waybill::app {

void add_openapi(CLI::App& program, Chosen& chosen) {
  program.add_subcommand("openapi", "Prints the OpenAPI 3.1 document")->callback([&chosen] {
    chosen.run = [](const Config&) {
      std::cout << api::openapi_document();
      return 0;
    };
  });
}

}  // namespace waybill::app
