import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The drills: each breaks or strains a set-up while acknowledged writes go on, and counts at the end. A drill fails if an
 * acknowledged write is missing or there twice, if an answer is wrong, or if callers meet more than its limits, which it prints.
 *
 * <p>Run them with {@code ./engine drill}.
 */
final class Drill {
    private static final Map<String, Bench.Benchmark> ALL = new LinkedHashMap<>();

    static {
        ALL.put("rolling", new RollingRestart());
        ALL.put("upgrade", new RollingUpgrade());
        ALL.put("slow-replica", new SlowReplica());
        ALL.put("disk-full", new DiskFull());
        ALL.put("point-in-time", new PointInTime());
        ALL.put("failover", new Failover());
        ALL.put("patroni", new Patroni());
        ALL.put("primaries", new Primaries());
        ALL.put("pooler", new Pooler());
        ALL.put("network", new Network());
        ALL.put("clocks", new Clocks());
        ALL.put("day", new Day());
        ALL.put("backup", new Backup());
        ALL.put("overload", new Overload());
        ALL.put("streams", new OpenStreams());
        ALL.put("cold-start", new ColdStart());
        ALL.put("freeze", new Freeze());
        ALL.put("load", new MixedLoad());
        ALL.put("versions", new Versions());
    }

    private Drill() {}

    /** Sends a signal, without which a drill would try nothing. */
    static void signal(String name, long pid) throws Exception {
        if (!reaches(name, pid)) {
            throw new IllegalStateException("process %d did not get the signal %s".formatted(pid, name));
        }
    }

    /** Sends a signal, and returns false if the process had ended, as a server's child may at any time. */
    static boolean reaches(String name, long pid) throws Exception {
        return new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor() == 0;
    }

    /** Fails if something took longer than the drill allows. */
    static void limit(String what, double seconds, double most) {
        System.out.printf("  limit: %s %.1f of %.1f s%n", what, seconds, most);
        if (seconds > most) {
            throw new IllegalStateException("a limit is passed");
        }
    }

    /** Ends what a drill has started also after Ctrl-C. Closing it twice is harmless. */
    static void closeAtExit(AutoCloseable started) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                started.close();
            } catch (Exception e) {
                System.err.println("could not be ended: " + e);
            }
        }));
    }

    public static void main(String[] arguments) throws Exception {
        var drill = arguments.length == 0 ? null : ALL.get(arguments[0]);
        if (drill == null) {
            ALL.forEach((name, one) -> System.out.printf("  ./engine drill %-13s %s%n", name, one.words()));
            System.exit(arguments.length == 0 ? 0 : 2);
            return;
        }
        drill.run(new Bench.Options(List.of(arguments).subList(1, arguments.length)));
    }
}
