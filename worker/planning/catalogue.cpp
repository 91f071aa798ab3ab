#include "worker/planning/catalogue.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "actions/stored_steps.hpp"
#include "actions/stored_templates.hpp"
#include "base/observe.hpp"
#include "domain/time/working_days.hpp"
#include "storage/settings/sealing_purposes.hpp"

namespace waybill::worker {
namespace {

/// The order of creation.
std::pair<Time, Guid> creation_order(const WorkflowPtr& workflow) {
  return {workflow->created_at, workflow->guid};
}

/// Throws std::invalid_argument for a window, limit or rate that this version cannot read.
domain::Pacing read_pacing(const storage::StoredWorkflow& stored) {
  const auto parsed = [](const std::optional<std::string>& text) {
    return text ? json::parse(*text) : json::value();
  };
  FieldErrors errors;
  domain::Pacing pacing{
      .window = domain::parse_window(parsed(stored.window), errors),
      .limit = domain::parse_limit(parsed(stored.limit), domain::record_type(stored.entity_type), errors),
      .rate = domain::parse_rate(parsed(stored.rate), errors)};
  if (!errors.empty()) throw std::invalid_argument(errors.front().field + ": " + errors.front().message);
  return pacing;
}

/// True if runs of a definition may contain links to tracking pages. `texts` is the JSON of the templates.
bool shows_page(const actions::Action& action, const json::object& definition, std::string_view texts) {
  constexpr std::string_view link = "trackingUrl";
  return action.sends_entity(definition) || to_json(definition).find(link) != std::string::npos ||
         (!action.templates(definition).empty() && texts.find(link) != std::string_view::npos);
}

}  // namespace

void Workflow::set_action(json::object stored, json::object stored_templates) {
  steps.clear();
  templates =
      stored_templates.empty() ? nullptr : std::make_shared<const json::object>(std::move(stored_templates));
  const std::string texts = templates ? to_json(*templates) : std::string();
  if (actions::stored_steps(stored) == nullptr) {
    action = actions::find_action(stored.at("type").as_string());
    if (action == nullptr) throw std::invalid_argument("unknown action");
    definition = std::move(stored);
    shows_tracking_page = shows_page(*action, definition, texts);
    return;
  }
  steps = matching::parse_steps(stored, rule.entity_type());
  matching::note_uses(steps, texts);
  shows_tracking_page = std::ranges::any_of(steps, [&](const matching::Step& step) {
    return step.action != nullptr && shows_page(*step.action, step.definition, texts);
  });
  action = steps.front().action != nullptr ? steps.front().action : actions::find_action("nothing");
  definition = steps.front().definition;
}

bool Workflow::watches() const {
  return cancel_on ||
         std::ranges::any_of(steps, [](const matching::Step& step) { return step.awaited.has_value(); });
}

ParsedWorkflow Catalogue::parse(const storage::StoredWorkflow& stored) const {
  ParsedWorkflow parsed{.guid = stored.guid,
                        .business_id = stored.business_id,
                        .entity_type = stored.entity_type,
                        .is_active = stored.is_active,
                        .active_since = stored.active_since,
                        .switches = stored.switches,
                        .deleted = stored.deleted,
                        .had_watches = stored.watches,
                        .workflow = {}};
  if (stored.deleted) return parsed;
  try {
    parsed.workflow = read(stored);
  } catch (const std::exception& error) {
    observe(Observable::workflow_unreadable,
            {{"workflow", stored.guid.to_string()}, {"error", std::string_view(error.what())}});
  }
  return parsed;
}

std::vector<WorkflowPtr> Catalogue::apply(std::vector<ParsedWorkflow> changed) {
  std::vector<WorkflowPtr> replaced;
  const WriterLock lock(mutex_);
  for (ParsedWorkflow& parsed : changed) {
    if (WorkflowPtr earlier = remove(parsed.guid)) replaced.push_back(std::move(earlier));
    insert(std::move(parsed));
  }
  count_unreadable();
  return replaced;
}

void Catalogue::count_unreadable() {
  any_unreadable_ = !unreadable_.empty();
  set_gauge(Gauge::workflows_unreadable, static_cast<double>(unreadable_.size()));
}

void Catalogue::apply(const std::vector<storage::StoredWorkflow>& changed) {
  std::vector<ParsedWorkflow> parsed;
  parsed.reserve(changed.size());
  for (const storage::StoredWorkflow& stored : changed) parsed.push_back(parse(stored));
  apply(std::move(parsed));
}

void Catalogue::insert(ParsedWorkflow parsed) {
  if (parsed.deleted) return;
  if (parsed.had_watches) {
    watching_.insert(parsed.business_id);
    any_watching_ = true;
  }
  if (!parsed.workflow) {
    unreadable_.emplace(parsed.guid, Unreadable{.business_id = parsed.business_id,
                                                .entity_type = parsed.entity_type,
                                                .is_active = parsed.is_active,
                                                .active_since = parsed.active_since,
                                                .switches = std::move(parsed.switches)});
    return;
  }
  Shared& shared = shared_[parsed.business_id];
  parsed.workflow->destinations = shared.destinations;
  auto& business = parsed.workflow->business;
  auto& last_read = business->zone_offsets.empty() ? shared.without_offsets : shared.with_offsets;
  const auto same = last_read.lock();
  if (same && *same == *business) {
    business = same;
  } else {
    last_read = business;
  }
  const WorkflowPtr workflow = std::move(parsed.workflow);
  workflows_.emplace(parsed.guid, workflow);
  if (workflow->rule.triggers.timer) ++timers_;
  if (workflow->rule.triggers.schedule) ++schedules_;
  if (workflow->rule.triggers.digest) ++digests_;
  std::vector<WorkflowPtr>& all = by_business_[parsed.business_id];
  all.insert(std::ranges::upper_bound(all, creation_order(workflow), {}, creation_order), workflow);
}

void Catalogue::keep_only(const std::unordered_set<Guid>& present) {
  const WriterLock lock(mutex_);
  std::vector<Guid> gone;
  for (const auto& [guid, workflow] : workflows_) {
    if (!present.contains(guid)) gone.push_back(guid);
  }
  for (const auto& [guid, workflow] : unreadable_) {
    if (!present.contains(guid)) gone.push_back(guid);
  }
  for (const Guid& guid : gone) remove(guid);
  count_unreadable();
}

std::span<const net::WebhookSecret> valid_secrets(const Workflow& workflow, Time now) {
  const bool is_over = workflow.previous_until && now >= *workflow.previous_until;
  return std::span(workflow.secrets).first(is_over ? 1 : workflow.secrets.size());
}

WorkflowPtr Catalogue::find(const Guid& workflow) const {
  const ReaderLock lock(mutex_);
  const auto found = workflows_.find(workflow);
  return found == workflows_.end() ? nullptr : found->second;
}

bool Catalogue::is_unreadable(const Guid& workflow) const {
  if (!any_unreadable_) return false;
  const ReaderLock lock(mutex_);
  return unreadable_.contains(workflow);
}

std::vector<Guid> Catalogue::unreadable(const Guid& business, domain::EntityType type, Time at,
                                        Time now) const {
  std::vector<Guid> workflows;
  if (!any_unreadable_) return workflows;
  const ReaderLock lock(mutex_);
  for (const auto& [guid, workflow] : unreadable_) {
    if (workflow.business_id == business && workflow.entity_type == type &&
        domain::was_on(workflow.is_active, workflow.active_since, workflow.switches, at, now)) {
      workflows.push_back(guid);
    }
  }
  return workflows;
}

std::vector<WorkflowPtr> Catalogue::active(const Guid& business, domain::EntityType type, Time since) const {
  const ReaderLock lock(mutex_);
  std::vector<WorkflowPtr> active;
  const auto found = by_business_.find(business);
  if (found == by_business_.end()) return active;
  for (const WorkflowPtr& workflow : found->second) {
    const bool may_have_been_on =
        workflow->is_active || (!workflow->switches.empty() && workflow->switches.back().at > since);
    if (may_have_been_on && workflow->rule.entity_type() == type && !workflow->rule.is_timed())
      active.push_back(workflow);
  }
  return active;
}

bool Catalogue::may_be_watched(const Guid& business) const {
  if (!any_watching_) return false;
  const ReaderLock lock(mutex_);
  return watching_.contains(business);
}

std::vector<WorkflowPtr> Catalogue::with_timer(const Guid& business, domain::EntityType type) const {
  std::vector<WorkflowPtr> workflows;
  if (!has_timers()) return workflows;
  const ReaderLock lock(mutex_);
  const auto found = by_business_.find(business);
  if (found == by_business_.end()) return workflows;
  for (const WorkflowPtr& workflow : found->second) {
    if (workflow->rule.triggers.timer && workflow->rule.entity_type() == type) workflows.push_back(workflow);
  }
  return workflows;
}

void Catalogue::suspend(std::unordered_set<Guid> businesses) {
  set_gauge(Gauge::businesses_suspended, static_cast<double>(businesses.size()));
  const WriterLock lock(mutex_);
  suspended_ = std::move(businesses);
}

bool Catalogue::is_suspended(const Guid& business) const {
  const ReaderLock lock(mutex_);
  return suspended_.contains(business);
}

void Catalogue::learn_address_hash(storage::Session& session) {
  if (address_hash()) return;
  auto hash = storage::read_address_hash(session, secrets_);
  const WriterLock lock(mutex_);
  address_hash_ = std::move(hash);
}

std::shared_ptr<const storage::AddressHash> Catalogue::address_hash() const {
  const ReaderLock lock(mutex_);
  return address_hash_;
}

std::shared_ptr<Workflow> Catalogue::read(const storage::StoredWorkflow& stored) const {
  matching::Rule rule = matching::make_rule(stored.trigger_code, json::parse(stored.conditions));
  json::object templates;
  if (stored.templates) {
    templates = json::parse(*stored.templates).as_object();
    actions::add_built_in_templates(templates);
  }
  std::vector<net::WebhookSecret> secrets;
  for (const Bytes& sealed : stored.sealed_secrets) {
    auto secret =
        net::WebhookSecret::parse(secrets_.open(sealed, storage::workflow_secret_purpose(stored.guid)));
    if (!secret) throw std::invalid_argument("unreadable secret");
    secrets.push_back(std::move(*secret));
  }
  actions::Credentials credentials;
  if (stored.sealed_credentials) {
    credentials = actions::Credentials::parse(
        secrets_.open(*stored.sealed_credentials, actions::Credentials::purpose(stored.guid)));
  }
  const bool is_duration = stored.delay && !stored.workdays;
  const std::optional<Duration> delay = is_duration ? parse_duration(*stored.delay) : Duration{};
  const int working_days =
      stored.workdays ? domain::parse_working_days(stored.delay.value_or("")).value_or(-1) : 0;
  if (!delay || working_days < 0) throw std::invalid_argument("unreadable delay");
  auto workflow = std::make_shared<Workflow>(
      Workflow{.guid = stored.guid,
               .business_id = stored.business_id,
               .business = std::make_shared<const storage::BusinessFacts>(stored.business),
               .name = stored.name,
               .rule = std::move(rule),
               .action = nullptr,
               .definition = {},
               .steps = {},
               .shows_tracking_page = false,
               .is_active = stored.is_active,
               .paused = stored.paused,
               .ordered = stored.ordered,
               .delay = *delay,
               .version = stored.version,
               .active_since = stored.active_since,
               .created_at = stored.created_at,
               .secrets = std::move(secrets),
               .previous_until = stored.previous_until,
               .credentials = std::move(credentials),
               .pacing = read_pacing(stored),
               .address_hash = address_hash(),
               .timer_plan = stored.timer_plan,
               .timer_since = stored.timer_since,
               .working_days = working_days,
               .had_watches = stored.watches,
               .switches = stored.switches});
  if (stored.cancel_on)
    workflow->cancel_on = matching::parse_awaited(json::parse(*stored.cancel_on), stored.entity_type, false);
  workflow->set_action(json::parse(stored.action).as_object(), std::move(templates));
  return workflow;
}

/// Returns the workflow; null if there is none that this version can read.
WorkflowPtr Catalogue::remove(const Guid& workflow) {
  unreadable_.erase(workflow);
  const auto found = workflows_.find(workflow);
  if (found == workflows_.end()) return nullptr;
  if (found->second->rule.triggers.timer) --timers_;
  if (found->second->rule.triggers.schedule) --schedules_;
  if (found->second->rule.triggers.digest) --digests_;
  const auto business = by_business_.find(found->second->business_id);
  std::erase(business->second, found->second);
  if (business->second.empty()) by_business_.erase(business);
  WorkflowPtr removed = std::move(found->second);
  workflows_.erase(found);
  return removed;
}

}  // namespace waybill::worker
