#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "api/http/language.hpp"
#include "api/tracking_page/tracked_shipment.hpp"

namespace waybill::api {

/// A text of the tracking page in all its languages. A constant that lacks one does not compile.
class Text {
 public:
  consteval Text(std::string_view en, std::string_view de, std::string_view fr, std::string_view es,
                 std::string_view pt)
      : texts_{en, de, fr, es, pt} {
    for (const auto text : texts_) {
      if (text.empty()) throw "a text lacks a language";
    }
  }

  constexpr std::string_view in(Language language) const {
    return texts_[static_cast<std::size_t>(language)];
  }

 private:
  std::array<std::string_view, language_tags.size()> texts_;
};

/// The words of a status: its name and a sentence for the buyer.
struct StatusTexts {
  std::string_view status;
  Text name;
  Text sentence;
  // Replaces a description that must not be shown. The page omits it, because it says no more than the name.
  std::string_view default_description;
};

/// Null for a status that shipments do not have.
const StatusTexts* status_texts(std::string_view status);

namespace texts {

inline constexpr Text page{"Shipment tracking", "Sendungsverfolgung", "Suivi de colis",
                           "Seguimiento de envíos", "Rastreio de envios"};
inline constexpr Text progress{"Progress of the shipment", "Fortschritt der Sendung", "Progression du colis",
                               "Progreso del envío", "Progresso do envio"};
inline constexpr Text step_done{"completed", "abgeschlossen", "terminé", "completado", "concluído"};
inline constexpr Text step_open{"not yet reached", "noch nicht erreicht", "pas encore atteint", "pendiente",
                                "pendente"};
inline constexpr Text step_interrupted{"interrupted", "unterbrochen", "interrompu", "interrumpido",
                                       "interrompido"};
inline constexpr Text estimated_delivery{"Estimated delivery", "Voraussichtliche Zustellung",
                                         "Livraison prévue", "Entrega estimada", "Previsão de entrega"};
inline constexpr Text delivered{"Delivered on", "Zugestellt am", "Livré le", "Entregado el", "Entregue em"};
inline constexpr Text details{"Details", "Sendungsdetails", "Détails", "Detalles", "Detalhes"};
inline constexpr Text tracking_number{"Tracking number", "Sendungsnummer", "Numéro de suivi",
                                      "Número de seguimiento", "Número de rastreio"};
inline constexpr Text carrier{"Carrier", "Paketdienst", "Transporteur", "Transportista", "Transportadora"};
inline constexpr Text carrier_number{
    "Carrier’s tracking number", "Sendungsnummer des Paketdienstes", "Numéro de suivi du transporteur",
    "Número de seguimiento del transportista", "Número de rastreio da transportadora"};
inline constexpr Text carrier_link{"Track on the carrier’s website",
                                   "Auf der Website des Paketdienstes verfolgen",
                                   "Suivre sur le site du transporteur", "Seguir en la web del transportista",
                                   "Acompanhar no site da transportadora"};
inline constexpr Text destination{"Destination", "Zielort", "Destination", "Destino", "Destino"};
inline constexpr Text created{"Created on", "Erstellt am", "Créé le", "Creado el", "Criado em"};
inline constexpr Text history{"Shipment history", "Sendungsverlauf", "Historique du colis",
                              "Historial del envío", "Histórico do envio"};
inline constexpr Text no_traces{"There are no updates yet.", "Es liegen noch keine Meldungen vor.",
                                "Aucune mise à jour pour le moment.", "Todavía no hay actualizaciones.",
                                "Ainda não há atualizações."};
inline constexpr Text older_trace{
    "{n} older update is not shown.", "{n} ältere Meldung wird nicht angezeigt.",
    "{n} mise à jour plus ancienne n’est pas affichée.", "No se muestra {n} actualización anterior.",
    "{n} atualização anterior não é mostrada."};
inline constexpr Text older_traces{
    "{n} older updates are not shown.", "{n} ältere Meldungen werden nicht angezeigt.",
    "{n} mises à jour plus anciennes ne sont pas affichées.",
    "No se muestran {n} actualizaciones anteriores.", "{n} atualizações anteriores não são mostradas."};
inline constexpr Text time_zone{"All times are in the time zone {zone}.",
                                "Alle Uhrzeiten in der Zeitzone {zone}.", "Heures du fuseau horaire {zone}.",
                                "Horas de la zona horaria {zone}.", "Horas do fuso horário {zone}."};
inline constexpr Text not_found{"Shipment not found", "Sendung nicht gefunden", "Colis introuvable",
                                "Envío no encontrado", "Envio não encontrado"};
inline constexpr Text not_found_sentence{
    "This link is not valid, or the shipment is no longer available. Please check that you have opened the "
    "whole "
    "link.",
    "Dieser Link ist ungültig, oder die Sendung ist nicht mehr verfügbar. Bitte prüfen Sie, ob Sie den Link "
    "vollständig geöffnet haben.",
    "Ce lien n’est pas valide ou le colis n’est plus disponible. Vérifiez que vous avez ouvert le lien en "
    "entier.",
    "Este enlace no es válido o el envío ya no está disponible. Compruebe que ha abierto el enlace completo.",
    "Este link não é válido ou o envio já não está disponível. Verifique se abriu o link completo."};
inline constexpr Text limited{"Too many requests", "Zu viele Aufrufe", "Trop de requêtes",
                              "Demasiadas solicitudes", "Demasiados pedidos"};
inline constexpr Text limited_sentence{
    "This page was opened too often. Please try again in a minute.",
    "Diese Seite wurde zu oft geöffnet. Bitte versuchen Sie es in einer Minute noch einmal.",
    "Cette page a été ouverte trop souvent. Veuillez réessayer dans une minute.",
    "Esta página se ha abierto demasiadas veces. Vuelva a intentarlo dentro de un minuto.",
    "Esta página foi aberta demasiadas vezes. Tente novamente dentro de um minuto."};

}  // namespace texts

/// The sentence on traces that are not shown, with the plural form of the language (CLDR: one is 1, in French
/// and Portuguese also 0).
std::string older_traces_text(Language language, std::size_t count);

/// The sentence on the zone of all times.
std::string time_zone_text(Language language, std::string_view zone);

/// The local date in full with its weekday: "Tuesday 24 November 2026".
std::string date_text(Locale locale, const ZonedTime& time);

/// The local time to the minute: "14:05", "14:05 Uhr", "2:05 PM".
std::string time_text(Locale locale, const ZonedTime& time);

/// Date and time.
std::string moment_text(Locale locale, const ZonedTime& time);

/// "UTC", "UTC+1", "UTC−3:30"
std::string offset_text(std::chrono::minutes utc_offset);

/// RFC 3339 with the offset, to the minute: "2026-11-24T14:05+01:00", the form of HTML's `datetime`.
std::string machine_time(const ZonedTime& time);

/// The local date, YYYY-MM-DD.
std::string machine_date(const ZonedTime& time);

}  // namespace waybill::api
