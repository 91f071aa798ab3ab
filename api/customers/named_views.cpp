#include "api/customers/named_views.hpp"

#include <cstdint>
#include <set>

#include "api/http/url.hpp"
#include "api/records/fields.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/customer_erasures.sql.hpp"
#include "storage/sql/user_preferences.sql.hpp"

namespace waybill::api {
namespace {

/// The texts of a view that can name a person. A query that cannot be decoded is searched as it is.
std::string searched_text(const json::object& view) {
  const auto query = text_at(view, "query").value_or("");
  return text_at(view, "name").value_or("") + '\n' + query + '\n' + percent_decode(query, true).value_or("");
}

}  // namespace

UserViews divide_views(storage::Session& session, const Guid& user, const json::array& views,
                       const std::vector<std::string>& words) {
  std::vector<std::string> texts;
  for (const json::value& view : views) texts.push_back(searched_text(view.as_object()));
  std::set<std::size_t> places;
  if (!texts.empty() && !words.empty()) {
    for (const auto& row :
         session.run(storage::sql::customer_erasures::FindPerson{.answers = texts, .words = words}))
      places.insert(static_cast<std::size_t>(row.place) - 1);
  }
  UserViews divided{.user = user, .named = {}, .others = {}};
  for (std::size_t i = 0; i < views.size(); ++i)
    (places.contains(i) ? divided.named : divided.others).push_back(views[i]);
  return divided;
}

std::vector<UserViews> views_of_users(storage::Session& session, const Guid& business, const Guid& after,
                                      std::size_t size, const std::vector<std::string>& words) {
  const auto rows = session.run(sql::user_preferences::ViewPage{
      .business = business, .after_user = after, .limit = static_cast<std::int64_t>(size)});
  std::vector<UserViews> users;
  for (const auto& row : rows) {
    const json::value views = json::parse(row.views);
    users.push_back(divide_views(session, row.user_id, views.as_array(), words));
  }
  return users;
}

void erase_views(storage::Session& session, const Guid& business, const Guid& user,
                 const std::vector<std::string>& words) {
  storage::Work work(session);
  const auto rows = session.run(sql::user_preferences::LockViews{.business = business, .user = user});
  if (const auto row = rows.find()) {
    const json::value views = json::parse(row->views);
    const UserViews divided = divide_views(session, user, views.as_array(), words);
    if (!divided.named.empty())
      session.run(sql::user_preferences::KeepViews{
          .business = business, .user = user, .views = to_json(divided.others)});
  }
  work.commit();
}

}  // namespace waybill::api
