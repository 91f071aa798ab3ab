#include "app/commands/command.hpp"
#include "app/node/serve.hpp"

namespace waybill::app {

void add_worker(const Command& program) {
  program.add("worker", "Runs the worker alone on an existing database; several may run")
      .runs([](const Config& config) { return serve(config, {.api = false, .worker = true}, false); });
}

}  // namespace waybill::app
