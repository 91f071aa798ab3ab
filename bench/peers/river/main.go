// The peer of the worker in Go: River, whose one kind of job sends a signed webhook over persistent connections. RECEIVER is
// the receiver's URL, BODY_SIZE the size of a body. TUNED=1 gives it 1 000 workers and a fetch cooldown of 1 ms; otherwise it
// has 100 workers and River's defaults. libpq's environment variables name the PostgreSQL server.
package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type deliverArgs struct {
	Order  string `json:"order"`
	Number string `json:"number"`
	Status string `json:"status"`
}

func (deliverArgs) Kind() string { return "deliver" }

type deliverer struct {
	river.WorkerDefaults[deliverArgs]
	client *http.Client
	url    string
	filler string
}

// Work sends one webhook. Standard Webhooks signs id.timestamp.body.
func (d *deliverer) Work(ctx context.Context, job *river.Job[deliverArgs]) error {
	now := time.Now()
	head, err := json.Marshal(map[string]any{
		"type": "order_status_changed", "timestamp": now.UTC().Format(time.RFC3339Nano), "data": job.Args})
	if err != nil {
		return err
	}
	body := append(head[:len(head)-1], `,"filler":"`...)
	body = append(body, d.filler[:max(0, len(d.filler)-len(head)-12)]...)
	body = append(body, `"}`...)
	id := "msg_" + job.Args.Order
	timestamp := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, bytes.Repeat([]byte("k"), 32))
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("webhook-id", id)
	request.Header.Set("webhook-timestamp", timestamp)
	request.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	answer, err := d.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", answer.StatusCode)
	}
	return nil
}

func run(ctx context.Context) error {
	pool, err := pgxpool.New(ctx, "")
	if err != nil {
		return err
	}
	defer pool.Close()
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	workers := 100
	config := &river.Config{}
	if os.Getenv("TUNED") == "1" {
		workers = 1000
		config.FetchCooldown = time.Millisecond
	}
	size, err := strconv.Atoi(os.Getenv("BODY_SIZE"))
	if err != nil {
		return fmt.Errorf("BODY_SIZE: %w", err)
	}
	transport := &http.Transport{MaxIdleConns: workers, MaxIdleConnsPerHost: workers}
	config.Workers = river.NewWorkers()
	river.AddWorker(config.Workers, &deliverer{
		client: &http.Client{Transport: transport}, url: os.Getenv("RECEIVER") + "/hook", filler: strings.Repeat("x", size)})
	config.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}}
	client, err := river.NewClient(driver, config)
	if err != nil {
		return err
	}
	if err := client.Start(ctx); err != nil {
		return err
	}
	fmt.Println("ready")
	<-client.Stopped()
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}
