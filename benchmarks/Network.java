import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.security.SecureRandom;
import java.util.List;

/** The network between engine and database is slow, cut, or passes data in one direction only. */
final class Network implements Bench.Benchmark {
    @Override
    public String words() {
        return "the network to the database is slow, loses packets, is cut, or goes one way only [--delay 100 --loss 0 --seconds 10 --writers 8]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var millis = 1_000L * options.number("seconds", 10);
        try (var servers = Servers.alone();
                var line = new Line(Servers.freePort(), servers.port())) {
            var url = servers.url().replace(":" + servers.port() + "/", ":" + line.port() + "/");
            try (var engine = Engine.startIn(Servers.engine(url, key))) {
                var writes = new Writes(List.of(engine.url()), key, options.number("writers", 8));
                writes.awaitMore(300);
                writes.mark();
                line.delay(options.number("delay", 100));
                line.loss(options.number("loss", 0));
                Thread.sleep(millis);
                line.delay(0);
                line.loss(0);
                writes.awaitMore(100);
                writes.report("answers %d ms later, and %d of 100 packets lost, for %d s"
                        .formatted(options.number("delay", 100), options.number("loss", 0), millis / 1_000));
                writes.limit(0, 10);
                writes.mark();
                line.cut();
                Thread.sleep(millis);
                line.mend();
                writes.awaitMore(100);
                writes.report("cut for %d s".formatted(millis / 1_000));
                writes.limit(400, millis / 1e3 + 10);
                writes.mark();
                line.silenceBack(true); // Statements arrive, and their results are lost.
                Thread.sleep(millis);
                line.silenceBack(false);
                writes.awaitMore(100);
                writes.close();
                writes.report("one way only for %d s".formatted(millis / 1_000));
                writes.check(servers.url());
                writes.limit(800, millis / 1e3 + 15);
            }
        }
    }
}
