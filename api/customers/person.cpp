#include "api/customers/person.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>

#include "api/customers/newest_texts.hpp"
#include "storage/sql/customer_erasures.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t page_size = 20'000;
constexpr std::size_t orders_of_page = 1'000;
constexpr std::int64_t events_of_page = 5'000;

template <typename Statement>
bool add_page(storage::Session& session, const Guid& business, std::span<const Guid> customers,
              std::size_t size, std::vector<Guid>& guids) {
  const Guid after = guids.empty() ? Guid() : guids.back();
  const auto rows = session.run(Statement{.business = business,
                                          .customers = customers,
                                          .after = after,
                                          .limit = static_cast<std::int64_t>(size)});
  std::size_t count = 0;
  for (const auto& row : rows) {
    guids.push_back(row.guid);
    ++count;
  }
  return count == size;
}

}  // namespace

std::vector<Guid> CustomerRecords::with(std::span<const Guid> customers) const {
  std::vector<Guid> all(customers.begin(), customers.end());
  all.insert(all.end(), orders.begin(), orders.end());
  all.insert(all.end(), shipments.begin(), shipments.end());
  return all;
}

bool add_own_orders(storage::Session& session, const Guid& business, std::span<const Guid> customers,
                    std::size_t size, std::vector<Guid>& orders) {
  return add_page<sql::customer_erasures::OwnOrders>(session, business, customers, size, orders);
}

bool add_own_shipments(storage::Session& session, const Guid& business, std::span<const Guid> customers,
                       std::size_t size, std::vector<Guid>& shipments) {
  return add_page<sql::customer_erasures::OwnShipments>(session, business, customers, size, shipments);
}

void make_distinct(std::vector<Guid>& guids) {
  std::ranges::sort(guids);
  guids.erase(std::ranges::unique(guids).begin(), guids.end());
}

CustomerRecords records_of_customers(storage::Session& session, const Guid& business,
                                     std::span<const Guid> customers) {
  CustomerRecords records;
  auto& [orders, shipments] = records;
  while (add_own_orders(session, business, customers, page_size, orders)) continue;
  while (add_own_shipments(session, business, customers, page_size, shipments)) continue;
  for (std::size_t begin = 0; begin < orders.size(); begin += orders_of_page) {
    const auto count = std::min(orders_of_page, orders.size() - begin);
    const auto rows = session.run(sql::customer_erasures::ShipmentsOfOrders{
        .business = business, .orders = std::span(orders).subspan(begin, count)});
    for (const auto& row : rows) shipments.push_back(row.guid);
  }
  make_distinct(shipments);
  return records;
}

Person person_of_customers(storage::Session& session, const Guid& business, std::span<const Guid> customers) {
  // The texts of the customers count as newer than those of all events.
  NewestTexts<std::tuple<std::string, std::string, bool>, std::int64_t> texts;
  std::int64_t after = 0;
  for (bool goes_on = true; goes_on;) {
    const auto page =
        session
            .run(sql::customer_erasures::EventPage{
                .business = business, .records = customers, .after = after, .limit = events_of_page})
            .front();
    goes_on = page.events == events_of_page;
    const auto rows = session.run(sql::customer_erasures::Person{
        .business = business, .customers = customers, .after_event = after, .last_event = page.last});
    for (const auto& row : rows) {
      texts.add({std::string(row.kind), std::string(row.value), row.is_word},
                row.event > 0 ? row.event : std::numeric_limits<std::int64_t>::max());
    }
    after = page.last;
  }
  Person person;
  for (const auto& [kind, value, is_word] : texts.newest()) {
    if (is_word) person.words.push_back(value);
    if (kind == "name") person.names.push_back(value);
    if (kind == "email") person.emails.push_back(value);
  }
  return person;
}

std::vector<Guid> deleted_customers_of(storage::Session& session, const Guid& business,
                                       const Person& person) {
  std::vector<Guid> customers;
  if (person.emails.empty()) return customers;
  for (const auto& row :
       session.run(sql::customer_erasures::SamePerson{.business = business, .emails = person.emails}))
    customers.push_back(row.guid);
  return customers;
}

std::vector<Guid> unlinked_shipments(storage::Session& session, const Guid& business, const Person& person) {
  std::vector<Guid> shipments;
  const auto rows =
      session.run(sql::customer_erasures::UnlinkedShipments{.business = business, .emails = person.emails});
  for (const auto& row : rows) shipments.push_back(row.guid);
  return shipments;
}

}  // namespace waybill::api
