import java.nio.file.Path;

/** Measures in real Chromium how soon pages show something and messages arrive, by {@code paint.mjs}. */
final class Pages implements Bench.Benchmark {
    private static final Path SCRIPTS = Path.of("mcp-server/src/test/node");

    @Override
    public String words() {
        return "the first paint of pages and how fast messages reach browsers, in Chromium; needs npm ci in " + SCRIPTS + " [--loads 9]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        try (var engine = Engine.start()) {
            var browser = new ProcessBuilder(
                            SCRIPTS.resolve("node_modules/.bin/node").toString(),
                            SCRIPTS.resolve("paint.mjs").toString(),
                            engine.url(),
                            Integer.toString(options.number("loads", 9)))
                    .inheritIO();
            browser.environment().put("ENGINE_KEY", engine.key());
            if (browser.start().waitFor() != 0) {
                throw new IllegalStateException("the browser failed");
            }
        }
    }
}
