#include "app/commands/command.hpp"
#include "app/node/serve.hpp"

namespace waybill::app {

void add_api(CLI::App& program, Chosen& chosen) {
  program.add_subcommand("api", "Runs the API alone on an existing database; several may run")
      ->callback([&chosen] {
        chosen.run = [](const Config& config) {
          return serve(config, {.api = true, .worker = false}, false);
        };
      });
}

}  // namespace waybill::app
