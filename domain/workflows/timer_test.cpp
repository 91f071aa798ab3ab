#include "domain/workflows/timer.hpp"

#include <gtest/gtest.h>

#include "domain/workflows/triggers.hpp"

namespace waybill::domain {
namespace {

using namespace std::chrono_literals;

Timer parsed(std::string_view field, std::string_view offset, EntityType type = EntityType::shipment) {
  return std::get<Timer>(parse_timer(json::object{{"field", field}, {"offset", offset}}, type));
}

std::string error_of(const json::value& timer, EntityType type = EntityType::order) {
  const auto result = parse_timer(timer, type);
  const auto* const errors = std::get_if<FieldErrors>(&result);
  return errors == nullptr ? "" : errors->front().field;
}

TEST(Timers, AnOffsetHasASignAndIsAtMost366Days) {
  EXPECT_EQ(parse_offset("PT24H"), 24h);
  EXPECT_EQ(parse_offset("-P1D"), -24h);
  EXPECT_EQ(parse_offset("+PT5M"), 5min);
  EXPECT_EQ(parse_offset("P366D"), longest_duration);
  EXPECT_EQ(parse_offset("-P366D"), -longest_duration);
  for (const char* const bad : {"", "-", "P367D", "-P367D", "--P1D", "1D", "P1Y"})
    EXPECT_EQ(parse_offset(bad), std::nullopt) << bad;
  EXPECT_EQ(format_offset(-24h), "-P1D");
  EXPECT_EQ(format_offset(Duration::zero()), "PT0S");
}

TEST(Timers, AValueOfThePastIsNotDue) {
  const Timer timer = parsed("createdAt", "PT1H");
  const Time at = parse_timestamp("2026-11-22T10:00:00Z").value();
  EXPECT_EQ(timer.value({{"createdAt", "2026-11-22T10:00:00.000Z"}}), at);
  EXPECT_EQ(timer.value({{"createdAt", nullptr}}), std::nullopt);
  EXPECT_EQ(timer.due(at, at), at + 1h);
  EXPECT_EQ(timer.due(at, at + 1h), std::nullopt);
}

TEST(Timers, ATimeOfAChangeIsThePresentOneForItsEvent) {
  const Time event = parse_timestamp("2026-11-22T10:00:00.004Z").value();
  const Time made = parse_timestamp("2026-11-22T10:00:00.001Z").value();
  for (const char* const field : {"createdAt", "statusChangedAt", "lastTraceAt"}) {
    for (const char* const offset : {"PT0S", "PT0.002S"}) {
      const Timer timer = parsed(field, offset);
      EXPECT_EQ(timer.due(made, timer.since_of_event(event)), made + timer.offset) << field << ' ' << offset;
      EXPECT_EQ(timer.due(event - 1min - timer.offset, timer.since_of_event(event)), std::nullopt)
          << "of an import or a late report";
    }
  }
  EXPECT_EQ(parsed("collectionDate", "PT0S").since_of_event(event), event) << "somebody gave it";
  EXPECT_EQ(parsed("createdAt", "-PT1S").since_of_event(event), event);
}

TEST(Timers, EachEntityTypeHasItsFields) {
  for (const RecordType& type : record_types()) {
    for (const std::string_view name : timer_fields(type.type)) {
      const Field* const field = type.find(name);
      ASSERT_NE(field, nullptr) << type.name << ' ' << name;
      EXPECT_EQ(field->type, FieldType::timestamp) << type.name << ' ' << name;
    }
  }
}

TEST(Timers, ErrorsNameTheMember) {
  EXPECT_EQ(error_of("PT1H"), "timer");
  EXPECT_EQ(error_of(json::object{{"offset", "PT1H"}}), "timer.field");
  EXPECT_EQ(error_of(json::object{{"field", "estimatedDelivery"}, {"offset", "PT1H"}}), "timer.field");
  EXPECT_EQ(error_of(json::object{{"field", "createdAt"}}), "timer.offset");
  EXPECT_EQ(error_of(json::object{{"field", "createdAt"}, {"offset", 5}}), "timer.offset");
  EXPECT_EQ(error_of(json::object{{"field", "createdAt"}, {"offset", "tomorrow"}}), "timer.offset");
  EXPECT_EQ(error_of(json::object{{"field", "createdAt"}, {"offset", "PT24H"}, {"workdays", true}}),
            "timer.offset");
  EXPECT_EQ(error_of(json::object{{"field", "createdAt"}, {"offset", "P1D"}, {"workdays", "yes"}}),
            "timer.workdays");
  EXPECT_EQ(error_of(json::object{{"field", "createdAt"}, {"offset", "PT1H"}, {"zone", "UTC"}}),
            "timer.zone");
}

TEST(Timers, AnUnknownMemberIsNamedAsInOtherBodies) {
  const auto result = parse_timer(json::object{{"field", "createdAt"}, {"offset", "PT1H"}, {"zone", "UTC"}},
                                  EntityType::order);
  EXPECT_EQ(std::get<FieldErrors>(result), (FieldErrors{{"timer.zone", "unknown field"}}));
}

TEST(Timers, TheStoredFormKeepsTheTimer) {
  for (const char* const offset : {"PT24H", "-P1D", "PT0S", "PT1.5S"}) {
    const TriggerChoice choice = choose(parsed("lastTraceAt", offset), EntityType::shipment);
    const auto read = parse_choice(choice.stored());
    ASSERT_TRUE(read.has_value()) << choice.stored();
    EXPECT_EQ(*read, choice);
    EXPECT_EQ(read->first->code, "timer");
    EXPECT_EQ(read->first->entity_type, EntityType::shipment);
    EXPECT_TRUE(read->set.none()) << "no event meets it";
  }
  EXPECT_EQ(choose(parsed("createdAt", "P1D", EntityType::order), EntityType::order).stored(),
            "timer:order.createdAt:P1D");
  const auto counted = std::get<Timer>(parse_timer(
      json::object{{"field", "createdAt"}, {"offset", "-P2D"}, {"workdays", true}}, EntityType::order));
  EXPECT_EQ(counted.working_days(), -2);
  const TriggerChoice choice = choose(counted, EntityType::order);
  EXPECT_EQ(choice.stored(), "timer:order.createdAt:-P2D:workdays");
  EXPECT_EQ(parse_choice(choice.stored()), choice);
  for (const char* const bad :
       {"timer:", "timer:order", "timer:order.createdAt", "timer:order.status:P1D",
        "timer:order.createdAt:soon", "timer:order.createdAt:PT2H:workdays", "timer:parcel.createdAt:P1D"})
    EXPECT_EQ(parse_choice(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace waybill::domain
