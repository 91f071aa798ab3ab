#include "app/commands/command.hpp"
#include "app/node/serve.hpp"

namespace waybill::app {

void add_up(CLI::App& program, Chosen& chosen) {
  program.add_subcommand("up", "Runs the API, the worker and, without --database-url, the database")
      ->callback([&chosen] {
        chosen.run = [](const Config& config) { return serve(config, {.api = true, .worker = true}, true); };
      });
}

}  // namespace waybill::app
