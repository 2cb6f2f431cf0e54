package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxBody = 1 << 20

var (
	secret = []byte(strings.TrimSpace(os.Getenv("WEBHOOK_SECRET")))
	seen   sync.Map // In production, use a table with a unique id.
)

// verify reports whether one of the signatures matches the raw body and is at most 300 seconds old.
func verify(header string, body []byte) bool {
	var times, given []string
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			times = append(times, value)
		case "v1":
			given = append(given, value)
		}
	}
	if len(times) != 1 {
		return false
	}
	signed, err := strconv.ParseInt(times[0], 10, 64)
	if err != nil || time.Since(time.Unix(signed, 0)).Abs() > 300*time.Second {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(times[0] + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, v1 := range given {
		if sum, err := hex.DecodeString(v1); err == nil && hmac.Equal(expected, sum) {
			return true
		}
	}
	return false
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	var event struct {
		ID   string          `json:"id"`
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if !verify(r.Header.Get("X-Service-Signature"), body) || json.Unmarshal(body, &event) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if _, known := seen.LoadOrStore(event.ID, true); !known {
		fmt.Println(event.Type, string(event.Data)) // Queue it here; do the work elsewhere.
	}
	w.WriteHeader(http.StatusOK)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on port", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
