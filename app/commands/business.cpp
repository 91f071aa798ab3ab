#include <filesystem>
#include <iostream>
#include <memory>

#include "app/accounts/accounts.hpp"
#include "app/accounts/businesses.hpp"
#include "app/commands/command.hpp"
#include "app/postgres/command_database.hpp"

namespace waybill::app {
namespace {

struct Arguments {
  std::string business;
  std::string plan;
  std::string output;
  std::string customer;
  bool json = false;
  bool yes = false;
};

using Action = int(OperatorSession& session, const Arguments& arguments, const Config& config);

int list(OperatorSession& session, const Arguments& arguments, const Config& /*config*/) {
  std::cout << list_businesses(session, arguments.json);
  return 0;
}

int usage(OperatorSession& session, const Arguments& arguments, const Config& config) {
  std::cout << usage_of_business(session, session.find(arguments.business), config, arguments.json);
  return 0;
}

/// The path to create: "DIR/" is DIR.
std::filesystem::path output_path(const std::string& output) {
  if (output.empty()) throw CommandError("--output must not be empty");
  const std::filesystem::path path(output);
  return path.has_filename() ? path : path.parent_path();
}

void note(OperatorSession& session, const Guid& business, std::string_view entity_type, const Guid& entity) {
  if (!note_export(session, business, entity_type, entity))
    std::cerr << "the audit log does not show this export, because the database is a standby\n";
}

int export_all(OperatorSession& session, const Arguments& arguments, const Config& config) {
  const Guid business = session.find(arguments.business);
  const std::filesystem::path output = output_path(arguments.output);
  if (!arguments.customer.empty()) {
    const auto customer = Guid::parse(arguments.customer);
    if (!customer) throw CommandError("--customer must be a guid, not \"" + arguments.customer + "\"");
    export_customer(session.database_url(), business, *customer, config.public_url, output);
    note(session, business, "customer", *customer);
    return 0;
  }
  const std::int64_t rows = export_business(session, business, output);
  note(session, business, "business", business);
  std::cout << rows << " rows in " << output.string() << '\n';
  return 0;
}

int suspend(OperatorSession& session, const Arguments& arguments, const Config& /*config*/) {
  suspend_business(session, session.find(arguments.business));
  return 0;
}

int resume(OperatorSession& session, const Arguments& arguments, const Config& /*config*/) {
  resume_business(session, session.find(arguments.business));
  return 0;
}

int remove(OperatorSession& session, const Arguments& arguments, const Config& /*config*/) {
  // A deletion that was killed at its end may have left rows without their business.
  const auto known = find_business(session.connection(), arguments.business, Names::any);
  const auto guid = known ? std::optional(known->guid) : Guid::parse(arguments.business);
  if (!guid) throw CommandError("--business: there is no business \"" + arguments.business + "\"");
  if (!arguments.yes) {
    throw CommandError("this deletes the business " + guid->to_string() +
                       " with all its records, users and history; repeat it with --yes");
  }
  std::cerr << "deleting the business " << guid->to_string() << '\n';
  std::cout << delete_business(session, *guid) << " rows deleted\n";
  return 0;
}

Command add_action(const Command& business, const std::shared_ptr<Arguments>& arguments,
                   const std::string& name, const std::string& help, Action* action) {
  const Command command = business.add(name, help);
  command.runs([arguments, action](const Config& config) {
    const CommandDatabase database(config);
    OperatorSession session(database.url(), "waybill business");
    return action(session, *arguments, config);
  });
  return command;
}

}  // namespace

void add_business(const Command& program) {
  const Command business = program.add_group("business", "Manages businesses");
  const auto arguments = std::make_shared<Arguments>();
  const auto add = [&](const std::string& name, const std::string& help, Action* action) {
    const Command command = add_action(business, arguments, name, help, action);
    if (name != "list") {
      command.option("--business", arguments->business, "The business's name or guid", {.is_required = true});
    }
    return command;
  };

  const Command set_plan = business.add("set-plan", "Changes the plan; takes effect within a second");
  set_plan.option("--business", arguments->business,
                  "The business's guid, or the name that the operator gave it", {.is_required = true});
  set_plan.option("--plan", arguments->plan, "The new plan", {.is_required = true});
  set_plan.runs([arguments](const Config& config) {
    const CommandDatabase database(config);
    change_plan(database.url(), config, arguments->business, arguments->plan);
    return 0;
  });
  add("list", "Lists the businesses", list).flag("--json", arguments->json, "Prints JSON");
  add("usage", "Prints what a business uses: records, runs, mails, requests and storage", usage)
      .flag("--json", arguments->json, "Prints JSON");
  const Command exported =
      add("export", "Writes all data of a business, or of one customer, as JSON to files, without secrets",
          export_all);
  exported.option("--output", arguments->output, "The directory to create; with --customer the file",
                  {.is_required = true});
  exported.option("--customer", arguments->customer, "The guid of the customer");
  add("suspend", "Refuses the business's tokens, and stops matching, imports and sending for it", suspend);
  add("resume", "Ends a suspension and matches the events that were set aside", resume);
  add("delete", "Deletes a business with all its data; can be repeated if it was interrupted", remove)
      .flag("--yes", arguments->yes, "Confirms the deletion");
}

}  // namespace waybill::app
