import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.memory.embedding.WordPiece;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Serves a model of embeddings to the engine, so that models can be compared. A jar on the class path or elsewhere has
 * its weights as {@code <name>.onnx}, and its words as {@code <name>-tokenizer.json}.
 *
 * <p>Of models whose cosines are all high, the mean vector of some texts is subtracted from each vector.
 */
final class ModelEndpoint implements AutoCloseable {
    private static final int TOKENS = 510;

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final OrtSession session;
    private final WordPiece words;
    private final Recipe recipe;
    private final Set<String> questions;
    private final HttpServer server;
    private float[] mean = {};
    private long nanos;
    private int made;

    /**
     * How a model is to be used.
     *
     * @param isFirst whether the vector of a text is that of its first token, and not the mean of all
     * @param isCentred whether its cosines are all high
     */
    private record Recipe(String question, String text, boolean isFirst, boolean isCentred) {
        static Recipe of(String name) {
            if (name.startsWith("bge")) {
                return new Recipe("Represent this sentence for searching relevant passages: ", "", true, true);
            }
            return name.startsWith("e5") ? new Recipe("query: ", "passage: ", false, true) : new Recipe("", "", false, false);
        }
    }

    /** @param questions what is no text that is to be found */
    ModelEndpoint(String name, Path jar, Set<String> questions, List<String> usual) throws IOException, OrtException {
        this.recipe = Recipe.of(name);
        this.questions = questions;
        try (var options = new OrtSession.SessionOptions();
                var loader = new URLClassLoader(new URL[] {jar.toUri().toURL()})) {
            options.setIntraOpNumThreads(1);
            options.setInterOpNumThreads(1);
            session = environment.createSession(resource(loader, name + ".onnx"), options);
            words = WordPiece.of(resource(loader, name + "-tokenizer.json"));
        }
        if (recipe.isCentred()) {
            var sum = new double[384];
            for (var text : usual) {
                var vector = vector(recipe.text() + text);
                Arrays.setAll(sum, i -> sum[i] + vector[i] / usual.size());
            }
            mean = new float[sum.length];
            for (var i = 0; i < mean.length; i++) {
                mean[i] = (float) sum[i];
            }
        }
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/embeddings", exchange -> {
            var input = Callers.JSON.readTree(exchange.getRequestBody().readAllBytes()).path("input");
            var data = new ArrayList<Map<String, Object>>();
            for (var text : input) {
                data.add(Map.of("index", data.size(), "embedding", embedded(text.asString())));
            }
            var body = Callers.JSON.writeValueAsBytes(Map.of("data", data));
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    private static byte[] resource(ClassLoader loader, String name) throws IOException {
        try (var in = loader.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalArgumentException("the jar has no " + name);
            }
            return in.readAllBytes();
        }
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private synchronized float[] embedded(String text) {
        var isQuestion = questions.contains(text);
        var began = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        var vector = vector((isQuestion ? recipe.question() : recipe.text()) + text);
        if (isQuestion) {
            nanos += ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - began;
            made++;
        }
        for (var i = 0; i < mean.length; i++) {
            vector[i] -= mean[i];
        }
        return vector;
    }

    private float[] vector(String text) {
        var tokens = words.tokens(text);
        var length = Math.min(TOKENS, tokens.size()) + 2;
        var ids = new long[1][length];
        ids[0][0] = WordPiece.BEGIN;
        ids[0][length - 1] = WordPiece.END;
        for (var i = 1; i < length - 1; i++) {
            ids[0][i] = tokens.get(i - 1);
        }
        var mask = new long[1][length];
        Arrays.fill(mask[0], 1);
        try (var input = OnnxTensor.createTensor(environment, ids);
                var attention = OnnxTensor.createTensor(environment, mask);
                var types = OnnxTensor.createTensor(environment, new long[1][length]);
                var output = session.run(Map.of("input_ids", input, "attention_mask", attention, "token_type_ids", types))) {
            var hidden = ((OnnxTensor) output.get(0)).getFloatBuffer();
            var vector = new float[hidden.remaining() / length];
            for (var token = 0; token < (recipe.isFirst() ? 1 : length); token++) {
                for (var i = 0; i < vector.length; i++) {
                    vector[i] += hidden.get(token * vector.length + i);
                }
            }
            return normal(vector);
        } catch (OrtException e) {
            throw new IllegalStateException(e);
        }
    }

    private static float[] normal(float[] vector) {
        var square = 0.0;
        for (var each : vector) {
            square += each * each;
        }
        for (var i = 0; i < vector.length; i++) {
            vector[i] /= (float) Math.sqrt(square);
        }
        return vector;
    }

    void print() {
        System.out.printf("%nvectors of %d questions took %.2f ms of processor time each%n", made, nanos / 1e6 / Math.max(1, made));
    }

    @Override
    public void close() throws OrtException {
        server.stop(0);
        session.close();
    }
}
