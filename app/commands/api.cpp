#include "app/commands/command.hpp"
#include "app/node/serve.hpp"

namespace waybill::app {

void add_api(const Command& program) {
  program.add("api", "Runs the API alone on an existing database; several may run")
      .runs([](const Config& config) { return serve(config, {.api = true, .worker = false}, false); });
}

}  // namespace waybill::app
