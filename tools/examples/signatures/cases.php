<?php
// Prints the sample's verdict on each case: cases.php CASES, where sample.php is in the working folder.
require getcwd() . '/sample.php';

foreach (file($argv[1], FILE_IGNORE_NEW_LINES) as $line) {
    [, $secret, $id, $timestamp, $signature, $body] = explode("\t", $line);
    echo var_export(verify($secret, $id, $timestamp, $signature, file_get_contents($body)), true), "\n";
}
