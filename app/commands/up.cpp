#include "app/commands/command.hpp"
#include "app/serve.hpp"

namespace waybill::app {

void add_up(CLI::App& program, Chosen& chosen) {
  program
      .add_subcommand(
          "up", "All in one process: the database, unless --database-url is given, the API and the worker")
      ->callback([&chosen] {
        chosen.run = [](const Config& config) { return serve(config, {.api = true, .worker = true}, true); };
      });
}

}  // namespace waybill::app
