import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Measures how soon a message is heard by a waiting call and by a listener, what a hook costs, and many waiting calls. */
final class Hearing implements Bench.Benchmark {
    private static final int WAITS_OF_KEY = 20;
    private static final int CALLERS = 4;

    private final HttpClient http = HttpClient.newHttpClient();

    @Override
    public String words() {
        return "from AP_Chat to the end of AP_Wait and to the line of a listener, the time of a hook, and 2,000 waiting"
                + " calls: their memory, and the calls of others beside them [--rounds 50] [--waits 2000] [--seconds 15]";
    }

    /** An agent, with the key of its program. */
    private record Program(String agent, String key, Callers calls) {}

    /** A wake-up. */
    private interface Round {
        /** Returns the moment at which the message was heard. */
        long heard(CountDownLatch listening) throws Exception;
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var rounds = options.number("rounds", 50);
        var time = Duration.ofSeconds(options.number("seconds", 15));
        try (var engine = Engine.start();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var owner = new Callers(engine.url(), engine.key());
            var ada = program(engine, owner, "Ada");
            var bert = program(engine, owner, "Bert");
            owner.work(CALLERS, time, Hearing::read); // Warms up the JVM.
            print("AP_Wait returns", rounds, times(rounds, ada, bert, threads, listening -> wait(ada, listening)));
            print("a listener has its line", rounds, times(rounds, ada, bert, threads, listening -> follow(engine, ada, listening)));
            print("a hook, nothing waits", 200, hooks(engine, ada));
            crowd(engine, owner, options.number("waits", 2_000), time, threads);
        }
    }

    private static Program program(Engine engine, Callers owner, String agent) throws Exception {
        owner.call(new Callers.Work("AP_Create", Map.of("vx", Map.of("name", agent, "description", "d", "access", "public"))));
        owner.call(new Callers.Work(
                "AP_Modify", Map.of("target", Map.of("agent", agent), "guard", Map.of("hops", 64, "per_minute", 600))));
        var created = owner.call(
                new Callers.Work("AK_Create", Map.of("name", agent, "capabilities", List.of("*"), "agent", agent)));
        var key = created.path("api_key").asString();
        return new Program(agent, key, new Callers(engine.url(), key));
    }

    private static Callers.Work read(int number) {
        return new Callers.Work("AP_Read", Map.of("target", Map.of("agent", "Ada")));
    }

    private static Callers.Work chat(String agent) {
        return new Callers.Work("AP_Chat", Map.of("target", Map.of("agent", agent), "content", "The tide turns at six."));
    }

    /** Returns how long it took from before AP_Chat until the message was heard, sorted. */
    private static Callers.Latencies times(int rounds, Program ada, Program bert, ExecutorService threads, Round round)
            throws Exception {
        var times = new ArrayList<Long>();
        for (var i = 0; i < rounds; i++) {
            var listening = new CountDownLatch(1);
            var heard = threads.submit(() -> round.heard(listening));
            listening.await();
            Thread.sleep(100); // The call or the stream has reached the engine.
            var began = System.nanoTime();
            bert.calls().call(chat(ada.agent()));
            times.add(heard.get() - began);
            ada.calls().call(new Callers.Work("AP_Read", Map.of()));
        }
        return new Callers.Latencies(times.stream().mapToLong(Long::longValue).sorted().toArray());
    }

    private static long wait(Program program, CountDownLatch listening) throws Exception {
        listening.countDown();
        var messages = program.calls().call(new Callers.Work("AP_Wait", Map.of("wait_seconds", 240)));
        var heard = System.nanoTime();
        if (messages.path("content").size() != 1) {
            throw new IllegalStateException("AP_Wait returned " + messages);
        }
        return heard;
    }

    /** Each session is new, since one that was just woken hears of the next message two seconds later. */
    private long follow(Engine engine, Program program, CountDownLatch listening) throws Exception {
        var session = "s" + System.nanoTime();
        var request = HttpRequest.newBuilder(URI.create(engine.url() + "/api/hooks/claude-code/messages?for=" + session))
                .header("X-API-Key", program.key())
                .build();
        try (var lines = http.send(request, BodyHandlers.ofLines()).body()) {
            listening.countDown();
            lines.filter(line -> line.startsWith("data: 1 new message")).findFirst().orElseThrow();
            return System.nanoTime();
        }
    }

    private Callers.Latencies hooks(Engine engine, Program program) throws Exception {
        var event = "{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"h\",\"tool_name\":\"Bash\"}";
        var times = new ArrayList<Long>();
        for (var i = 0; i < 200; i++) {
            var request = HttpRequest.newBuilder(URI.create(engine.url() + "/api/hooks/claude-code"))
                    .header("X-API-Key", program.key())
                    .POST(BodyPublishers.ofString(event));
            var began = System.nanoTime();
            var response = http.send(request.build(), BodyHandlers.ofString());
            times.add(System.nanoTime() - began);
            if (response.statusCode() != 200) {
                throw new IllegalStateException("a hook was refused: " + response.body());
            }
        }
        return new Callers.Latencies(times.stream().mapToLong(Long::longValue).sorted().toArray());
    }

    private static void crowd(Engine engine, Callers owner, int count, Duration time, ExecutorService threads) throws Exception {
        var programs = new ArrayList<Program>();
        for (var i = 0; i < count / WAITS_OF_KEY; i++) {
            programs.add(program(engine, owner, "Agent" + i));
        }
        var before = owner.work(CALLERS, time, Hearing::read);
        var heap = engine.heap();
        var waits = new ArrayList<Future<Integer>>();
        for (var program : programs) {
            Callable<Integer> wait = () -> program.calls()
                    .call(new Callers.Work("AP_Wait", Map.of("wait_seconds", 240)))
                    .path("content")
                    .size();
            for (var i = 0; i < WAITS_OF_KEY; i++) {
                waits.add(threads.submit(wait));
            }
        }
        Thread.sleep(10_000); // All calls have reached the engine.
        var with = owner.work(CALLERS, time, Hearing::read);
        System.out.printf("%,d waiting calls on one engine, %d callers%n", waits.size(), CALLERS);
        System.out.printf("  heap                     %5.1f kB for each%n", (engine.heap() - heap) / 1e3 / waits.size());
        System.out.printf("  calls before             %s%n", before);
        System.out.printf("  calls with the waits     %s%n", with);
        if (waits.stream().anyMatch(Future::isDone)) {
            throw new IllegalStateException("a waiting call ended before its message");
        }
        for (var i = 0; i < WAITS_OF_KEY; i++) {
            for (var program : programs) {
                owner.call(chat(program.agent()));
            }
        }
        var heard = 0;
        for (var wait : waits) {
            heard += wait.get();
        }
        if (heard != waits.size()) {
            throw new IllegalStateException("%,d messages were sent, and %,d heard".formatted(waits.size(), heard));
        }
        System.out.printf("  all of %,d messages were heard, each once%n", heard);
    }

    private static void print(String what, int count, Callers.Latencies times) {
        System.out.printf("  %-24s p50 %6.2f ms   p99 %6.2f ms   over %d%n", what, times.millis(0.5), times.millis(0.99), count);
    }
}
