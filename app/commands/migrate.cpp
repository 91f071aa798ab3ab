#include "storage/schema/migrate.hpp"

#include "app/commands/command.hpp"
#include "app/postgres/command_database.hpp"

namespace waybill::app {

void add_migrate(const Command& program) {
  program.add("migrate", "Brings the schema up to date; safe if several run at once")
      .runs([](const Config& config) {
        const CommandDatabase database(config);
        storage::migrate(database.url());
        return 0;
      });
}

}  // namespace waybill::app
