#include "app/commands/command.hpp"
#include "app/node/serve.hpp"

namespace waybill::app {

void add_worker(CLI::App& program, Chosen& chosen) {
  program.add_subcommand("worker", "Runs the worker alone on an existing database; several may run")
      ->callback([&chosen] {
        chosen.run = [](const Config& config) {
          return serve(config, {.api = false, .worker = true}, false);
        };
      });
}

}  // namespace waybill::app
