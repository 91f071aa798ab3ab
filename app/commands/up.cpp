#include "app/commands/command.hpp"
#include "app/node/serve.hpp"

namespace waybill::app {

void add_up(const Command& program) {
  program.add("up", "Runs the API, the worker and, without --database-url, the database")
      .runs([](const Config& config) { return serve(config, {.api = true, .worker = true}, true); });
}

}  // namespace waybill::app
