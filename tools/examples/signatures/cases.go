// Prints the sample's verdict on each case: go run . CASES, where the sample is the package webhook.
package main

import (
	"fmt"
	"os"
	"strings"

	"example/webhook"
)

func main() {
	cases, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	for _, line := range strings.Split(strings.TrimRight(string(cases), "\n"), "\n") {
		parts := strings.Split(line, "\t")
		body, err := os.ReadFile(parts[5])
		if err != nil {
			panic(err)
		}
		fmt.Println(webhook.Verify(parts[1], parts[2], parts[3], parts[4], body))
	}
}
