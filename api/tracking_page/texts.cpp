#include "api/tracking_page/texts.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/ascii.hpp"

namespace waybill::api {
namespace {

constexpr auto statuses = std::to_array<StatusTexts>({
    {"created",
     {"In preparation", "In Vorbereitung", "En préparation", "En preparación", "Em preparação"},
     {"Your shipment is being prepared. The carrier has not collected it yet.",
      "Ihre Sendung wird vorbereitet und wurde noch nicht abgeholt.",
      "Votre colis est en cours de préparation. Le transporteur ne l’a pas encore pris en charge.",
      "Su envío se está preparando. El transportista aún no lo ha recogido.",
      "O seu envio está em preparação e ainda não foi recolhido pela transportadora."},
     "Shipment created"},
    {"collected",
     {"Collected", "Abgeholt", "Pris en charge", "Recogido", "Recolhido"},
     {"The carrier has collected your shipment.", "Der Paketdienst hat Ihre Sendung abgeholt.",
      "Le transporteur a pris votre colis en charge.", "El transportista ha recogido su envío.",
      "A transportadora recolheu o seu envio."},
     "Collected by the carrier"},
    {"in_transit",
     {"In transit", "Unterwegs", "En transit", "En tránsito", "Em trânsito"},
     {"Your shipment is on its way.", "Ihre Sendung ist auf dem Weg zu Ihnen.", "Votre colis est en route.",
      "Su envío está en camino.", "O seu envio está a caminho."},
     "In transit"},
    {"out_for_delivery",
     {"Out for delivery", "In Zustellung", "En cours de livraison", "En reparto", "Saiu para entrega"},
     {"The driver is on the way with your shipment.", "Ihre Sendung wurde in das Zustellfahrzeug geladen.",
      "Le livreur est en route avec votre colis.", "El repartidor está en camino con su envío.",
      "O motorista está a caminho com o seu envio."},
     "Out for delivery"},
    {"delivered",
     {"Delivered", "Zugestellt", "Livré", "Entregado", "Entregue"},
     {"Your shipment has been delivered.", "Ihre Sendung wurde zugestellt.", "Votre colis a été livré.",
      "Su envío ha sido entregado.", "O seu envio foi entregue."},
     "Delivered"},
    {"exception",
     {"Delivery problem", "Problem bei der Zustellung", "Incident de livraison", "Incidencia en la entrega",
      "Problema na entrega"},
     {"There is a problem with your shipment. We are working on it.",
      "Bei Ihrer Sendung gibt es ein Problem. Wir kümmern uns darum.",
      "L’acheminement de votre colis rencontre un problème. Nous nous en occupons.",
      "Ha surgido un problema con su envío. Estamos trabajando para resolverlo.",
      "Surgiu um problema com o seu envio. Trabalhamos para o resolver."},
     "An issue occurred"},
    {"returned",
     {"Returned to sender", "Zurück an den Absender", "Retourné à l’expéditeur", "Devuelto al remitente",
      "Devolvido ao remetente"},
     {"Your shipment has been returned to the sender.", "Ihre Sendung wurde an den Absender zurückgeschickt.",
      "Votre colis a été retourné à l’expéditeur.", "Su envío ha sido devuelto al remitente.",
      "O seu envio foi devolvido ao remetente."},
     "Returned to the sender"},
    {"cancelled",
     {"Cancelled", "Storniert", "Annulé", "Cancelado", "Cancelado"},
     {"This shipment has been cancelled and will not be delivered.",
      "Diese Sendung wurde storniert und wird nicht zugestellt.",
      "Ce colis a été annulé et ne sera pas livré.", "Este envío ha sido cancelado y no se entregará.",
      "Este envio foi cancelado e não será entregue."},
     "Cancelled"},
});

constexpr std::array<Text, 7> weekdays{
    Text{"Sunday", "Sonntag", "dimanche", "domingo", "domingo"},
    Text{"Monday", "Montag", "lundi", "lunes", "segunda-feira"},
    Text{"Tuesday", "Dienstag", "mardi", "martes", "terça-feira"},
    Text{"Wednesday", "Mittwoch", "mercredi", "miércoles", "quarta-feira"},
    Text{"Thursday", "Donnerstag", "jeudi", "jueves", "quinta-feira"},
    Text{"Friday", "Freitag", "vendredi", "viernes", "sexta-feira"},
    Text{"Saturday", "Samstag", "samedi", "sábado", "sábado"},
};

constexpr std::array<Text, 12> months{
    Text{"January", "Januar", "janvier", "enero", "janeiro"},
    Text{"February", "Februar", "février", "febrero", "fevereiro"},
    Text{"March", "März", "mars", "marzo", "março"},
    Text{"April", "April", "avril", "abril", "abril"},
    Text{"May", "Mai", "mai", "mayo", "maio"},
    Text{"June", "Juni", "juin", "junio", "junho"},
    Text{"July", "Juli", "juillet", "julio", "julho"},
    Text{"August", "August", "août", "agosto", "agosto"},
    Text{"September", "September", "septembre", "septiembre", "setembro"},
    Text{"October", "Oktober", "octobre", "octubre", "outubro"},
    Text{"November", "November", "novembre", "noviembre", "novembro"},
    Text{"December", "Dezember", "décembre", "diciembre", "dezembro"},
};

struct LocalTime {
  std::chrono::year_month_day date;
  std::chrono::weekday weekday;
  int hour;
  int minute;
};

LocalTime local(const ZonedTime& time) {
  const auto shifted = time.at + time.utc_offset;
  const auto day = std::chrono::floor<std::chrono::days>(shifted);
  const auto minutes = std::chrono::floor<std::chrono::minutes>(shifted - day).count();
  return {std::chrono::year_month_day(day), std::chrono::weekday(day), static_cast<int>(minutes / 60),
          static_cast<int>(minutes % 60)};
}

void append_two_digits(std::string& out, unsigned number) {
  out += static_cast<char>('0' + number / 10 % 10);
  out += static_cast<char>('0' + number % 10);
}

std::string clock_text(int hour, int minute) {
  std::string text;
  append_two_digits(text, static_cast<unsigned>(hour));
  text += ':';
  append_two_digits(text, static_cast<unsigned>(minute));
  return text;
}

}  // namespace

const StatusTexts* status_texts(std::string_view status) {
  const auto* const found = std::ranges::find(statuses, status, &StatusTexts::status);
  return found == statuses.end() ? nullptr : found;
}

std::string older_traces_text(Language language, std::size_t count) {
  const bool zero_is_one = language == Language::fr || language == Language::pt;
  const bool is_one = count == 1 || (count == 0 && zero_is_one);
  return replaced(std::string((is_one ? texts::older_trace : texts::older_traces).in(language)), "{n}",
                  std::to_string(count));
}

std::string time_zone_text(Language language, std::string_view zone) {
  return replaced(std::string(texts::time_zone.in(language)), "{zone}", zone);
}

std::string date_text(Locale locale, const ZonedTime& time) {
  const auto parts = local(time);
  const std::string weekday(weekdays[parts.weekday.c_encoding()].in(locale.language));
  const std::string month(months[static_cast<unsigned>(parts.date.month()) - 1].in(locale.language));
  const auto day = std::to_string(static_cast<unsigned>(parts.date.day()));
  const auto year = std::to_string(static_cast<int>(parts.date.year()));
  switch (locale.language) {
    case Language::en:
      if (locale.american) return weekday + ", " + month + " " + day + ", " + year;
      return weekday + " " + day + " " + month + " " + year;
    case Language::de:
      return weekday + ", " + day + ". " + month + " " + year;
    case Language::fr:
      return weekday + " " + day + (day == "1" ? "er " : " ") + month + " " + year;
    case Language::es:
    case Language::pt:
      break;
  }
  return weekday + ", " + day + " de " + month + " de " + year;
}

std::string time_text(Locale locale, const ZonedTime& time) {
  const auto parts = local(time);
  // The hour is not separated from the word after it by a line break.
  if (locale.language == Language::de) return clock_text(parts.hour, parts.minute) + "\u00a0Uhr";
  if (!locale.american) return clock_text(parts.hour, parts.minute);
  const int hour = parts.hour % 12 == 0 ? 12 : parts.hour % 12;
  std::string text = std::to_string(hour) + ":";
  append_two_digits(text, static_cast<unsigned>(parts.minute));
  return text + (parts.hour < 12 ? "\u00a0AM" : "\u00a0PM");
}

std::string moment_text(Locale locale, const ZonedTime& time) {
  static constexpr Text between{", ", ", ", " à ", ", ", ", "};
  return date_text(locale, time).append(between.in(locale.language)).append(time_text(locale, time));
}

std::string offset_text(std::chrono::minutes utc_offset) {
  const auto minutes = std::abs(static_cast<int>(utc_offset.count()));
  if (minutes == 0) return "UTC";
  auto text = (utc_offset.count() < 0 ? "UTC\u2212" : "UTC+") + std::to_string(minutes / 60);
  if (minutes % 60 == 0) return text;
  text += ':';
  append_two_digits(text, static_cast<unsigned>(minutes % 60));
  return text;
}

std::string machine_date(const ZonedTime& time) { return machine_time(time).substr(0, 10); }

std::string machine_time(const ZonedTime& time) {
  auto text = format_timestamp(time.at + time.utc_offset).substr(0, 16);
  const auto minutes = std::abs(static_cast<int>(time.utc_offset.count()));
  text += time.utc_offset.count() < 0 ? '-' : '+';
  return text += clock_text(minutes / 60, minutes % 60);
}

}  // namespace waybill::api
