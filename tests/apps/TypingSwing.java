/**
 * The fields of `texts.py` in Swing: `java TypingSwing.java STATE_FILE`, which compiles and runs it.
 *
 * The words are those of `texts.py`, and so is the form of the file.
 */

import java.awt.BorderLayout;
import java.awt.Dimension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.swing.BoxLayout;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.JPasswordField;
import javax.swing.JScrollPane;
import javax.swing.JTextArea;
import javax.swing.JTextField;
import javax.swing.SwingUtilities;
import javax.swing.Timer;
import javax.swing.text.BadLocationException;
import javax.swing.text.JTextComponent;

public class TypingSwing {
    private static final int LOOK_MS = 20;

    private final Path path;
    private final Map<String, JTextComponent> fields = new LinkedHashMap<>();
    private String written = "";

    TypingSwing(Path path) {
        this.path = path;
        JTextArea page = new JTextArea(8, 40);
        page.setLineWrap(true);
        JPanel box = new JPanel();
        box.setLayout(new BoxLayout(box, BoxLayout.Y_AXIS));
        add(box, "line", "Line", new JTextField(40));
        add(box, "page", "Page", page);
        add(box, "secret", "Secret", new JPasswordField(40));
        JFrame frame = new JFrame("Typing");
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        frame.add(box);
        frame.setPreferredSize(new Dimension(600, 300));
        frame.pack();
        frame.setVisible(true);
        new Timer(LOOK_MS, event -> write()).start();
    }

    private void add(JPanel box, String key, String label, JTextComponent field) {
        fields.put(key, field);
        JLabel beside = new JLabel(label);
        beside.setLabelFor(field);
        JPanel row = new JPanel(new BorderLayout());
        row.add(beside, BorderLayout.WEST);
        row.add(key.equals("page") ? new JScrollPane(field) : field, BorderLayout.CENTER);
        box.add(row);
    }

    private static String text(JTextComponent field) {
        try {
            return field.getDocument().getText(0, field.getDocument().getLength());
        } catch (BadLocationException error) {
            throw new IllegalStateException(error);
        }
    }

    private void write() {
        StringBuilder told = new StringBuilder("{");
        String focus = "";
        for (Map.Entry<String, JTextComponent> entry : fields.entrySet()) {
            told.append(quoted(entry.getKey())).append(": ").append(quoted(text(entry.getValue()))).append(", ");
            focus = entry.getValue().isFocusOwner() ? entry.getKey() : focus;
        }
        save(told.append("\"focus\": ").append(quoted(focus)).append("}").toString());
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char unit : text.toCharArray()) {
            boolean plain = unit >= ' ' && unit < 0x7f && unit != '"' && unit != '\\';
            quoted.append(plain ? String.valueOf(unit) : String.format("\\u%04x", (int) unit));
        }
        return quoted.append('"').toString();
    }

    private void save(String text) {
        if (text.equals(written)) {
            return;
        }
        try {
            Path temporary = path.resolveSibling(path.getFileName() + ".new");
            Files.writeString(temporary, text);
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        written = text;
    }

    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(() -> new TypingSwing(Path.of(arguments[0])));
    }
}
