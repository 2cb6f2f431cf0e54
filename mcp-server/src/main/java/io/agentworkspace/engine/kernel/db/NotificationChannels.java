package io.agentworkspace.engine.kernel.db;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channels of one name on all servers of the database: a signal is sent where its tenant is. Without Citus that is one server. With
 * it there are several, and their list is read again each second. Signals are current if those of every server are.
 */
public final class NotificationChannels implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NotificationChannels.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final ServerQueries servers;
    private final NotificationChannel.Login login;
    private final String name;
    private final Duration beat;
    private final NotificationChannel.Receiver receiver;
    private final Part first;

    /** The channels to the servers of tenants, by host and port. */
    private final Map<String, Part> others = new LinkedHashMap<>();

    private final Thread watch;

    NotificationChannels(
            ServerQueries servers,
            NotificationChannel.Login login,
            String name,
            Duration beat,
            NotificationChannel.Receiver receiver) {
        this.servers = servers;
        this.login = login;
        this.name = name;
        this.beat = beat;
        this.receiver = receiver;
        this.first = new Part(login);
        this.watch = Thread.ofVirtual().name("servers of " + name).unstarted(this::keepWatching);
    }

    public void open() {
        first.channel.open();
        watch.start();
    }

    /**
     * Waits for the first heartbeat of the server that the engine connects to.
     *
     * @throws DatabaseFailure if heartbeats are lost, or none arrives within a minute
     */
    public void awaitFirst() {
        first.channel.awaitFirst();
    }

    private void keepWatching() {
        var areSeveral = true;
        while (areSeveral && !Thread.currentThread().isInterrupted()) {
            try {
                areSeveral = servers.isDistributed();
                if (areSeveral) {
                    listenTo(servers.ofTenants());
                    rest();
                }
            } catch (RuntimeException e) {
                LOG.debug("the servers of the database are not known", e);
                rest();
            }
        }
    }

    private static void rest() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Opens channels to new servers, and closes those to servers that are gone. */
    private void listenTo(Set<String> hosts) {
        var gone = List.copyOf(others.keySet()).stream()
                .filter(host -> !hosts.contains(host))
                .toList();
        for (var host : gone) {
            remove(host).channel.close();
        }
        for (var host : hosts) {
            if (!others.containsKey(host)) {
                LOG.info("signals come from the server {} too", host);
                add(host).channel.open();
            }
        }
    }

    private synchronized Part add(String host) {
        var url = login.url().replaceFirst("//[^/]*", "//" + host);
        var part = new Part(new NotificationChannel.Login(url, login.user(), login.password()));
        others.put(host, part);
        return part;
    }

    private synchronized Part remove(String host) {
        return Objects.requireNonNull(others.remove(host));
    }

    private synchronized void current(Part part, long since) {
        part.since = since;
        var oldest = first.since;
        for (var other : others.values()) {
            oldest = other.since - oldest < 0 ? other.since : oldest;
        }
        receiver.current(oldest);
    }

    /** What comes from one server. */
    private final class Part implements NotificationChannel.Receiver {
        private final NotificationChannel channel;

        /** Everything before it has arrived; long ago as long as nothing has. */
        private long since = System.nanoTime() - Duration.ofDays(1).toNanos();

        Part(NotificationChannel.Login login) {
            this.channel = new NotificationChannel(login, name, beat, this);
        }

        @Override
        public void opened() {
            synchronized (NotificationChannels.this) {
                receiver.opened();
            }
        }

        @Override
        public void received(String payload) {
            synchronized (NotificationChannels.this) {
                receiver.received(payload);
            }
        }

        @Override
        public void current(long sent) {
            NotificationChannels.this.current(this, sent);
        }

        @Override
        public void late() {
            synchronized (NotificationChannels.this) {
                receiver.late();
            }
        }
    }

    @Override
    public void close() {
        watch.interrupt();
        first.channel.close();
        List<Part> rest;
        synchronized (this) {
            rest = List.copyOf(others.values());
            others.clear();
        }
        rest.forEach(part -> part.channel.close());
    }
}
