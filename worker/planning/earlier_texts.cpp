#include "worker/planning/earlier_texts.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actions/stored_templates.hpp"
#include "base/clock.hpp"
#include "domain/workflows/digest.hpp"
#include "matching/steps.hpp"
#include "storage/sql/templates.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::worker {
namespace {

/// The codes of the templates that texts include and that `known` lacks.
std::vector<std::string> missing_partials(const json::object& texts, const json::object& known) {
  std::vector<std::string> codes;
  for (const auto& [code, parts] : texts) {
    if (!parts.is_object()) continue;
    for (const auto& [name, text] : parts.get_object()) {
      if (text.is_string()) actions::add_partials(text.get_string(), codes);
    }
  }
  std::erase_if(codes, [&](const std::string& code) { return known.contains(code); });
  return codes;
}

/// The time as of which a run has the texts of templates; nullopt for the present time.
std::optional<Time> time_of_texts(const storage::Run& run) {
  if (run.key.replay_of) return std::nullopt;
  if (run.key.trigger_code != domain::digest_code) return run.key.created_at;
  if (!run.state.progress) return std::nullopt;
  const json::value results = json::parse(run.state.progress->results);
  if (results.as_array().empty()) return std::nullopt;
  return parse_timestamp(results.at(0).at("startedAt").as_string());
}

/// The templates that are looked for, each for a run and as of a time.
struct Wanted {
  std::vector<Guid> runs, businesses, workflows;
  std::vector<std::int64_t> versions;
  std::vector<std::string> codes;
  std::vector<Time> times;

  void add(const storage::RunKey& run, const std::string& code, Time at) {
    runs.push_back(run.guid);
    businesses.push_back(run.business_id);
    workflows.push_back(run.workflow_id);
    versions.push_back(run.workflow_version);
    codes.push_back(code);
    times.push_back(at);
  }
};

void read(storage::Session& session, const Wanted& wanted, std::unordered_map<Guid, json::object>& texts) {
  for (const auto& row : session.run(
           storage::sql::templates::EarlierTexts{.runs = storage::binary_array(wanted.runs),
                                                 .businesses = storage::binary_array(wanted.businesses),
                                                 .codes = wanted.codes,
                                                 .times = storage::binary_array(wanted.times),
                                                 .workflows = storage::binary_array(wanted.workflows),
                                                 .versions = wanted.versions})) {
    texts[row.run][row.code] = row.definition ? json::parse(*row.definition) : json::value();
  }
}

/// The present texts of templates and of those that they include; null for one that does not exist.
json::object present_texts(storage::Session& session, const Guid& business,
                           const std::vector<std::string>& codes) {
  const auto stored = session.run(storage::sql::templates::Texts{.business = business, .codes = codes});
  return json::parse(stored.front().texts).as_object();
}

}  // namespace

std::unordered_map<Guid, json::object> earlier_texts(storage::Session& session,
                                                     std::span<const LateRun> runs) {
  std::unordered_map<Guid, json::object> texts;
  std::set<std::pair<Guid, std::string>> looked_for;
  Wanted wanted;
  const auto want = [&](const LateRun& late, const std::string& code, bool is_missing) {
    const auto at = time_of_texts(*late.run);
    if ((at || is_missing) && looked_for.emplace(late.run->key.guid, code).second)
      wanted.add(late.run->key, code, at.value_or(Time::max()));
  };
  for (const LateRun& late : runs) {
    if (!late.workflow || !late.workflow->templates) continue;
    for (const auto& [code, parts] : *late.workflow->templates)
      want(late, std::string(code), parts.is_null());
  }
  // An earlier text may include templates that the present one does not.
  while (!wanted.codes.empty()) {
    read(session, std::exchange(wanted, {}), texts);
    for (const LateRun& late : runs) {
      const auto found = texts.find(late.run->key.guid);
      if (found == texts.end()) continue;
      json::object& its = found->second;
      std::vector<std::string> codes = missing_partials(its, *late.workflow->templates);
      std::erase_if(codes, [&](const std::string& code) { return its.contains(code); });
      if (codes.empty()) continue;
      for (auto& [code, parts] : present_texts(session, late.workflow->business_id, codes)) {
        if (late.workflow->templates->contains(code) || its.contains(code)) continue;
        want(late, std::string(code), parts.is_null());
        its.emplace(code, std::move(parts));
      }
    }
  }
  return texts;
}

WorkflowPtr with_texts(const WorkflowPtr& workflow, const json::object& texts) {
  json::object templates = *workflow->templates;
  for (const auto& [code, parts] : texts) templates[code] = parts;
  actions::add_built_in_templates(templates);
  auto earlier = std::make_shared<Workflow>(*workflow);
  matching::note_uses(earlier->steps, to_json(templates));
  earlier->templates = std::make_shared<const json::object>(std::move(templates));
  return earlier;
}

}  // namespace waybill::worker
