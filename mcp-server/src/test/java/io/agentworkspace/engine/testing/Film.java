package io.agentworkspace.engine.testing;

import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;

/** An animated GIF of pictures of the same size, which repeats. */
public final class Film {
    private static final String FORMAT = "javax_imageio_gif_image_1.0";
    private static final int WIDTH = 960;
    private static final String HUNDREDTHS_FOR_EACH = "150";

    private Film() {}

    public static void write(List<Path> pictures, Path gif) {
        var writer = ImageIO.getImageWritersByFormatName("gif").next();
        delete(gif); // Of a longer film, the end would stay.
        try (var out = ImageIO.createImageOutputStream(gif.toFile())) {
            writer.setOutput(out);
            writer.prepareWriteSequence(null);
            for (var picture : pictures) {
                var frame = smaller(ImageIO.read(picture.toFile()));
                writer.writeToSequence(new IIOImage(frame, null, metadata(writer, frame)), null);
            }
            writer.endWriteSequence();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            writer.dispose();
        }
    }

    private static void delete(Path gif) {
        try {
            Files.deleteIfExists(gif);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BufferedImage smaller(BufferedImage picture) {
        var height = picture.getHeight() * WIDTH / picture.getWidth();
        var frame = new BufferedImage(WIDTH, height, BufferedImage.TYPE_INT_RGB);
        var graphics = frame.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BICUBIC);
        graphics.drawImage(picture, 0, 0, WIDTH, height, null);
        graphics.dispose();
        return frame;
    }

    /** Sets how long a frame is shown, and that the film repeats without end: the format's extension of Netscape. */
    private static IIOMetadata metadata(ImageWriter writer, BufferedImage frame) throws IOException {
        var metadata = writer.getDefaultImageMetadata(ImageTypeSpecifier.createFromRenderedImage(frame), null);
        var root = (IIOMetadataNode) metadata.getAsTree(FORMAT);
        var control = (IIOMetadataNode)
                root.getElementsByTagName("GraphicControlExtension").item(0);
        control.setAttribute("delayTime", HUNDREDTHS_FOR_EACH);
        var repeat = new IIOMetadataNode("ApplicationExtension");
        repeat.setAttribute("applicationID", "NETSCAPE");
        repeat.setAttribute("authenticationCode", "2.0");
        repeat.setUserObject(new byte[] {1, 0, 0});
        var extensions = new IIOMetadataNode("ApplicationExtensions");
        extensions.appendChild(repeat);
        root.appendChild(extensions);
        metadata.setFromTree(FORMAT, root);
        return metadata;
    }
}
