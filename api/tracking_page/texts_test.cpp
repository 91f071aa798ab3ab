#include "api/tracking_page/texts.hpp"

#include <gtest/gtest.h>

#include "domain/records/state_machines.hpp"

namespace waybill::api {
namespace {

constexpr Locale english{Language::en};
constexpr Locale american{Language::en, true};
constexpr Locale german{Language::de};
constexpr Locale french{Language::fr};
constexpr Locale spanish{Language::es};
constexpr Locale portuguese{Language::pt};

ZonedTime zoned_by(std::string_view utc, int offset_minutes) {
  return {parse_timestamp(utc).value(), std::chrono::minutes(offset_minutes)};
}

TEST(TrackingTexts, NameEachStatusOfAShipment) {
  for (const auto status : domain::shipment_states().states) {
    const auto* const texts = status_texts(status);
    ASSERT_NE(texts, nullptr) << status;
    EXPECT_EQ(texts->status, status);
  }
  EXPECT_EQ(status_texts("draft"), nullptr);
}

TEST(TrackingTexts, WriteDatesInTheCustomaryForm) {
  const auto time = zoned_by("2026-11-24T13:05:00Z", 60);
  EXPECT_EQ(date_text(english, time), "Tuesday 24 November 2026");
  EXPECT_EQ(date_text(american, time), "Tuesday, November 24, 2026");
  EXPECT_EQ(date_text(german, time), "Dienstag, 24. November 2026");
  EXPECT_EQ(date_text(french, time), "mardi 24 novembre 2026");
  EXPECT_EQ(date_text(spanish, time), "martes, 24 de noviembre de 2026");
  EXPECT_EQ(date_text(portuguese, time), "terça-feira, 24 de novembro de 2026");
}

TEST(TrackingTexts, WriteTheFirstOfAMonthAsAnOrdinalInFrench) {
  EXPECT_EQ(date_text(french, zoned_by("2027-03-01T12:00:00Z", 0)), "lundi 1er mars 2027");
  EXPECT_EQ(date_text(french, zoned_by("2027-03-21T12:00:00Z", 0)), "dimanche 21 mars 2027");
}

TEST(TrackingTexts, WriteTimesInTheCustomaryForm) {
  const auto time = zoned_by("2026-11-24T13:05:00Z", 60);
  EXPECT_EQ(time_text(english, time), "14:05");
  EXPECT_EQ(time_text(american, time), "2:05\u00a0PM");
  EXPECT_EQ(time_text(german, time), "14:05\u00a0Uhr");
  EXPECT_EQ(time_text(french, time), "14:05");
  EXPECT_EQ(time_text(american, zoned_by("2026-11-24T00:30:00Z", 0)), "12:30\u00a0AM");
  EXPECT_EQ(time_text(american, zoned_by("2026-11-24T12:00:00Z", 0)), "12:00\u00a0PM");
  EXPECT_EQ(moment_text(french, time), "mardi 24 novembre 2026 à 14:05");
  EXPECT_EQ(moment_text(spanish, time), "martes, 24 de noviembre de 2026, 14:05");
}

TEST(TrackingTexts, UseTheDayOfTheTimeZone) {
  EXPECT_EQ(date_text(english, zoned_by("2026-12-31T23:30:00Z", 60)), "Friday 1 January 2027");
  EXPECT_EQ(date_text(english, zoned_by("2027-01-01T02:00:00Z", -180)), "Thursday 31 December 2026");
  EXPECT_EQ(machine_date(zoned_by("2026-12-31T23:30:00Z", 60)), "2027-01-01");
  EXPECT_EQ(time_text(english, zoned_by("1969-12-31T23:59:59Z", 0)), "23:59");
}

TEST(TrackingTexts, NameOffsets) {
  EXPECT_EQ(offset_text(std::chrono::minutes(0)), "UTC");
  EXPECT_EQ(offset_text(std::chrono::minutes(120)), "UTC+2");
  EXPECT_EQ(offset_text(std::chrono::minutes(-210)), "UTC\u22123:30");
  EXPECT_EQ(offset_text(std::chrono::minutes(345)), "UTC+5:45");
  EXPECT_EQ(machine_time(zoned_by("2026-11-24T13:05:59.999Z", 60)), "2026-11-24T14:05+01:00");
  EXPECT_EQ(machine_time(zoned_by("2026-11-24T13:05:00Z", -210)), "2026-11-24T09:35-03:30");
}

TEST(TrackingTexts, HaveTheRightPlural) {
  EXPECT_EQ(older_traces_text(Language::en, 1), "1 older update is not shown.");
  EXPECT_EQ(older_traces_text(Language::en, 12), "12 older updates are not shown.");
  EXPECT_EQ(older_traces_text(Language::en, 0), "0 older updates are not shown.");
  EXPECT_EQ(older_traces_text(Language::de, 1), "1 ältere Meldung wird nicht angezeigt.");
  EXPECT_EQ(older_traces_text(Language::de, 2), "2 ältere Meldungen werden nicht angezeigt.");
  EXPECT_EQ(older_traces_text(Language::fr, 0), "0 mise à jour plus ancienne n’est pas affichée.");
  EXPECT_EQ(older_traces_text(Language::fr, 2), "2 mises à jour plus anciennes ne sont pas affichées.");
  EXPECT_EQ(older_traces_text(Language::es, 1), "No se muestra 1 actualización anterior.");
  EXPECT_EQ(older_traces_text(Language::es, 21), "No se muestran 21 actualizaciones anteriores.");
  EXPECT_EQ(older_traces_text(Language::pt, 1), "1 atualização anterior não é mostrada.");
  EXPECT_EQ(older_traces_text(Language::pt, 101), "101 atualizações anteriores não são mostradas.");
}

}  // namespace
}  // namespace waybill::api
