import java.nio.file.Files;
import java.nio.file.Path;

/** Prints the verdict of the sample, the class Webhook, on each case: java Cases CASES */
class Cases {
  public static void main(String[] arguments) throws Exception {
    for (String line : Files.readAllLines(Path.of(arguments[0]))) {
      String[] parts = line.split("\t", -1);
      System.out.println(Webhook.verify(parts[1], parts[2], parts[3], parts[4], Files.readAllBytes(Path.of(parts[5]))));
    }
  }
}
