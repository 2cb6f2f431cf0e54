import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;

/** Engines of a former version and of this one serve one database, as in a rolling upgrade. */
final class Versions implements Bench.Benchmark {
    @Override
    public String words() {
        return "a former version goes on writing while this one upgrades the schema and joins [--former <its launcher> --writers 8]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var launcher = options.text("former");
        if (launcher == null) {
            throw new IllegalArgumentException("--former must be the launcher of an unpacked package of the former version");
        }
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var callers = options.number("writers", 8);
        try (var servers = Servers.alone();
                var former = Engine.startOther(Path.of(launcher), Servers.engine(servers.url(), key))) {
            var old = new Writes(List.of(former.url()), key, callers);
            old.awaitMore(300);
            old.mark();
            try (var engine = Engine.startIn(Servers.engine(servers.url(), key))) {
                var both = new Writes(List.of(engine.url(), former.url()), key, callers);
                both.awaitMore(500);
                both.close();
                old.awaitMore(100);
                old.close();
                old.report("the former version, before, during and after the upgrade");
                both.report("both versions side by side");
                old.check(servers.url());
                both.check(servers.url());
                old.limit(0, 10);
                both.limit(0, 10);
            }
        }
    }
}
