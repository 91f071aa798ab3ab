#include "storage/schema/migrate.hpp"

#include "app/commands/command.hpp"
#include "app/postgres/command_database.hpp"

namespace waybill::app {

void add_migrate(CLI::App& program, Chosen& chosen) {
  program.add_subcommand("migrate", "Brings the schema up to date; safe if several run at once")
      ->callback([&chosen] {
        chosen.run = [](const Config& config) {
          const CommandDatabase database(config);
          storage::migrate(database.url());
          return 0;
        };
      });
}

}  // namespace waybill::app
