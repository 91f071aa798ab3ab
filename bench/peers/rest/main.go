// The peer of the API in Go: net/http and pgx. Reads use waybill's tables, with the statements of rest.mjs: one for each
// request, the JSON built in SQL and passed through, an exact count for the list. Writes use the tables of
// bench/sql/peer.sql, which have no triggers and only the indexes that the peer's requests need.
//
// BUSINESS is the business of all requests; without it, a token wb_bench_N names the business. CHANGES is `statement`
// (the default: a change and its event in one statement) or `steps` (a transaction that locks, checks, changes and writes
// the event). POOL is the number of connections. libpq's environment variables name the PostgreSQL server.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

//go:embed get.sql
var getSQL string

//go:embed list.sql
var listSQL string

//go:embed change.sql
var changeSQL string

//go:embed create.sql
var createSQL string

const (
	pageSize     = 50
	maxBodyBytes = 1 << 20
)

type server struct {
	pool     *pgxpool.Pool
	business string // empty: the token names it
}

func (s *server) businessOf(r *http.Request) string {
	if s.business != "" {
		return s.business
	}
	token := r.Header.Get("Authorization")
	n, _ := strconv.Atoi(token[strings.LastIndexByte(token, '_')+1:])
	return fmt.Sprintf("00000000-0000-4000-b000-%d", 100000000000+n)
}

func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"success":false}`)
}

// answer sends the text that a statement returned. No row is 404.
func answer(w http.ResponseWriter, text []byte, err error) {
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		refuse(w, http.StatusNotFound)
	case err != nil:
		log.Print(err)
		refuse(w, http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(text)
	}
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	var text []byte
	err := s.pool.QueryRow(r.Context(), getSQL, s.businessOf(r), r.PathValue("guid")).Scan(&text)
	answer(w, text, err)
}

// listFor returns the list's statement for the parameters of a request, and its values after the first two.
func listFor(query url.Values) (string, []any) {
	var conditions strings.Builder
	var values []any
	for _, f := range []struct{ name, condition string }{
		{"status", "status ="}, {"otherStatus", "status <>"}, {"customer", "customer_id ="}, {"from", "created_at >="},
		{"to", "created_at <"}, {"city", "delivery_city like"}, {"notes", "notes like"},
	} {
		if value := query.Get(f.name); value != "" {
			fmt.Fprintf(&conditions, " and r.%s $%d", f.condition, 3+len(values))
			values = append(values, value)
		}
	}
	join, order := "", "r.created_at desc, r.guid desc"
	switch query.Get("sort") {
	case "notes":
		order = "r.notes nulls first, r.guid"
	case "customer":
		join = " left join customers c on c.business_id = r.business_id and c.guid = r.customer_id"
		order = "c.name nulls first, r.guid"
	}
	return strings.NewReplacer("/*where*/", conditions.String(), "/*order*/", order, "/*join*/", join).Replace(listSQL), values
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	page, err := strconv.Atoi(query.Get("Page"))
	if err != nil || page < 1 {
		page = 1
	}
	statement, values := listFor(query)
	var text []byte
	err = s.pool.QueryRow(r.Context(), statement, append([]any{s.businessOf(r), (page - 1) * pageSize}, values...)...).Scan(&text)
	answer(w, text, err)
}

// The moves of an order's status; a transaction in steps checks them here.
var moves = map[string]string{
	"draft":      "pending cancelled",
	"pending":    "processing ready shipped cancelled",
	"processing": "pending ready shipped cancelled",
	"ready":      "processing shipped cancelled",
	"shipped":    "delivered",
}

var errForbiddenMove = errors.New("forbidden move")

// A move to another status, or a change of the notes.
type orderChange struct {
	Status *string `json:"status"`
	Notes  *string `json:"notes"`
}

func (s *server) changeInSteps(ctx context.Context, business, guid string, change orderChange) ([]byte, error) {
	var text []byte
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var before, number string
		err := tx.QueryRow(ctx, "select status, order_number from peer.orders where business_id = $1 and guid = $2 "+
			"and deleted_at is null for update", business, guid).Scan(&before, &number)
		if err != nil {
			return err
		}
		event, status := "order_updated", before
		if change.Status != nil {
			event, status = "order_status_changed", *change.Status
			if !strings.Contains(moves[before], status) {
				return errForbiddenMove
			}
		}
		err = tx.QueryRow(ctx, "update peer.orders set status = $3, notes = coalesce($4, notes), updated_at = now() "+
			"where business_id = $1 and guid = $2 returning json_build_object('data', json_build_object('guid', guid, "+
			"'orderNumber', order_number, 'status', status, 'updatedAt', updated_at), 'success', true)::text",
			business, guid, status, change.Notes).Scan(&text)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "insert into peer.outbox (business_id, entity_id, type, payload) values ($1, $2, $3, "+
			"json_build_object('status', $4::text, 'orderNumber', $5::text))", business, guid, event, status, number)
		return err
	})
	return text, err
}

func (s *server) change(w http.ResponseWriter, r *http.Request) {
	var body orderChange
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBodyBytes)).Decode(&body)
	if err != nil || (body.Status == nil) == (body.Notes == nil) {
		refuse(w, http.StatusBadRequest)
		return
	}
	var text []byte
	if os.Getenv("CHANGES") == "steps" {
		text, err = s.changeInSteps(r.Context(), s.businessOf(r), r.PathValue("guid"), body)
	} else {
		err = s.pool.QueryRow(r.Context(), changeSQL, s.businessOf(r), r.PathValue("guid"), body.Status, body.Notes).Scan(&text)
	}
	if errors.Is(err, errForbiddenMove) {
		err = pgx.ErrNoRows // as in one statement
	}
	answer(w, text, err)
}

func (s *server) create(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil || !json.Valid(body) {
		refuse(w, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	var text []byte
	err = s.pool.QueryRow(r.Context(), createSQL, s.businessOf(r), string(body)).Scan(&text)
	if err == nil {
		w.WriteHeader(http.StatusCreated)
	}
	answer(w, text, err)
}

func main() {
	connections := os.Getenv("POOL")
	if connections == "" {
		connections = "10"
	}
	pool, err := pgxpool.New(context.Background(), "pool_max_conns="+connections)
	if err != nil {
		log.Fatal(err)
	}
	s := &server{pool: pool, business: os.Getenv("BUSINESS")}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/Orders/{guid}", s.get)
	mux.HandleFunc("GET /api/v1/Orders", s.list)
	mux.HandleFunc("PATCH /api/v1/Orders/{guid}/status", s.change)
	mux.HandleFunc("PUT /api/v1/Orders/{guid}", s.change)
	mux.HandleFunc("POST /api/v1/Orders", s.create)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on %d\n", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, mux))
}
