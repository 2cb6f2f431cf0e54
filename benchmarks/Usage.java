import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The resources that a JVM and its PostgreSQL servers have used so far: processor time from Linux's /proc, and
 * the bytes that the JVM allocated.
 */
final class Usage implements AutoCloseable {
    private static final double TICK = 1e6 / 100;

    private final long jvm;
    private final List<Long> postmasters;
    private final JMXConnector connector;
    private final MBeanServerConnection beans;

    Usage(long jvm, boolean isJvm, List<Long> postmasters) throws Exception {
        this.jvm = jvm;
        this.postmasters = postmasters;
        if (!isJvm) {
            connector = null;
            beans = null;
            return;
        }
        var machine = VirtualMachine.attach(Long.toString(jvm));
        try {
            connector = JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent()));
            beans = connector.getMBeanServerConnection();
        } finally {
            machine.detach();
        }
    }

    /** Processor time in microseconds, allocation in bytes. */
    record Sum(double jvm, double postgres, double allocated) {
        Sum minus(Sum before) {
            return new Sum(jvm - before.jvm, postgres - before.postgres, allocated - before.allocated);
        }
    }

    Sum now() throws Exception {
        var allocated = beans == null
                ? Double.NaN
                : ((Number) beans.getAttribute(new ObjectName("java.lang:type=Threading"), "TotalThreadAllocatedBytes"))
                        .doubleValue();
        return new Sum(time(jvm, false), postgres(), allocated);
    }

    /** Returns the time of the postmasters, of their ended children, and of the running ones. */
    private double postgres() throws IOException {
        if (postmasters.isEmpty()) {
            return Double.NaN;
        }
        var sum = 0.0;
        for (var postmaster : postmasters) {
            sum += time(postmaster, true);
        }
        try (var all = Files.list(Path.of("/proc"))) {
            for (var process : all.filter(path -> path.getFileName().toString().matches("\\d+")).toList()) {
                var pid = Long.parseLong(process.getFileName().toString());
                var fields = stat(pid);
                if (fields.length > 15 && postmasters.contains(Long.parseLong(fields[1]))) {
                    sum += time(pid, false);
                }
            }
        }
        return sum;
    }

    private static double time(long pid, boolean withEnded) {
        var fields = stat(pid);
        if (fields.length < 15) {
            return 0;
        }
        var own = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        return TICK * (withEnded ? own + Long.parseLong(fields[13]) + Long.parseLong(fields[14]) : own);
    }

    /** Returns the fields from the state on. The name before it may contain spaces. */
    private static String[] stat(long pid) {
        try {
            var line = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return line.substring(line.lastIndexOf(')') + 2).split(" ");
        } catch (NoSuchFileException ended) {
            return new String[0];
        } catch (IOException e) {
            return e.getMessage() != null && e.getMessage().contains("No such process") ? new String[0] : fail(e);
        }
    }

    private static String[] fail(IOException e) {
        throw new UncheckedIOException(e);
    }

    @Override
    public void close() throws IOException {
        if (connector != null) {
            connector.close();
        }
    }
}
