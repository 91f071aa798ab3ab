#include "api/endpoint/openapi.hpp"

#include <iostream>

#include "app/commands/command.hpp"

namespace waybill::app {

void add_openapi(const Command& program) {
  program.add("openapi", "Prints the OpenAPI 3.1 document").runs([](const Config&) {
    std::cout << api::openapi_document();
    return 0;
  });
}

}  // namespace waybill::app
