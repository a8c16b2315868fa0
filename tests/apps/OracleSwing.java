/**
 * The controls of `oracle.py` in Swing: `java OracleSwing.java STATE_FILE`, which compiles and runs it.
 *
 * The words are those of `oracle.py`, and so is the form of the file.
 */

import java.awt.AWTEvent;
import java.awt.Color;
import java.awt.Component;
import java.awt.FlowLayout;
import java.awt.Point;
import java.awt.Rectangle;
import java.awt.Toolkit;
import java.awt.event.MouseEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.swing.BoxLayout;
import javax.swing.JButton;
import javax.swing.JCheckBox;
import javax.swing.JComponent;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JList;
import javax.swing.JPanel;
import javax.swing.JPasswordField;
import javax.swing.JSlider;
import javax.swing.JTable;
import javax.swing.JTextField;
import javax.swing.SwingUtilities;
import javax.swing.Timer;
import javax.swing.text.JTextComponent;

public class OracleSwing {
    private static final int LOOK_MS = 50;
    private static final String[] FRUIT = {"Apple", "Pear", "Plum"};
    private static final int CELL = 1;

    private final Path path;
    private final JPanel box = new JPanel();
    private final Map<String, JComponent> widgets = new LinkedHashMap<>();
    private final Map<String, String> roles = new LinkedHashMap<>();
    private final List<String> clicked = new ArrayList<>();
    private final JList<String> fruit = new JList<>(FRUIT);
    private final JTable grid = new JTable(3, 3);
    private int pressed = 0;
    private String written = "";

    OracleSwing(Path path) {
        this.path = path;
        box.setLayout(new BoxLayout(box, BoxLayout.Y_AXIS));
        addPlainControls();
        addContainers();
        JFrame frame = new JFrame("Fixture");
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        frame.add(box);
        frame.pack();
        frame.setVisible(true);
        Toolkit.getDefaultToolkit().addAWTEventListener(this::heard, AWTEvent.MOUSE_EVENT_MASK);
        new Timer(LOOK_MS, event -> write()).start();
    }

    private <T extends JComponent> T add(String key, String role, T widget, String label) {
        widgets.put(key, widget);
        roles.put(key, role);
        JPanel row = new JPanel(new FlowLayout(FlowLayout.LEFT));
        if (!label.isEmpty()) {
            JLabel beside = new JLabel(label);
            beside.setLabelFor(widget);
            row.add(beside);
        }
        row.add(widget);
        box.add(row);
        return widget;
    }

    private void addPlainControls() {
        add("button", "button", new JButton("Press me"), "").addActionListener(event -> pressed++);
        add("check", "checkbox", new JCheckBox("Check me"), "");
        add("name", "textbox", new JTextField("Ada", 20), "Name");
        add("secret", "password", new JPasswordField("xyzzy", 20), "Secret").setForeground(new Color(0xfd02fd));
        add("words", "label", new JLabel("Plain words"), "");
        add("volume", "slider", new JSlider(0, 100, 30), "Volume");
        add("hidden", "button", new JButton("Hidden"), "").setVisible(false);
        add("off", "button", new JButton("Off"), "").setEnabled(false);
    }

    private void addContainers() {
        fruit.getAccessibleContext().setAccessibleName("Fruit");
        add("fruit", "list", fruit, "");
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++) {
                grid.setValueAt("r" + row + "c" + column, row, column);
            }
        }
        grid.getAccessibleContext().setAccessibleName("Grid");
        add("grid", "table", grid, "");
    }

    private void heard(AWTEvent event) {
        if (event.getID() == MouseEvent.MOUSE_PRESSED) {
            MouseEvent mouse = (MouseEvent) event;
            String key = keyAt(mouse.getComponent(), mouse.getPoint());
            if (!key.isEmpty()) {
                clicked.add(key);
                write();
            }
        }
    }

    private String keyAt(Component widget, Point point) {
        if (widget == fruit) {
            return FRUIT[fruit.locationToIndex(point)].toLowerCase();
        }
        if (widget == grid) {
            return grid.rowAtPoint(point) == CELL && grid.columnAtPoint(point) == CELL ? "cell" : "";
        }
        return widgets.entrySet().stream().filter(entry -> entry.getValue() == widget).map(Map.Entry::getKey)
            .findFirst().orElse("");
    }

    private void write() {
        List<String> controls = new ArrayList<>();
        for (Map.Entry<String, JComponent> entry : widgets.entrySet()) {
            JComponent widget = entry.getValue();
            Rectangle whole = new Rectangle(widget.getSize());
            controls.add(control(entry.getKey(), roles.get(entry.getKey()), name(entry.getKey()), widget, whole, false));
        }
        for (int index = 0; index < FRUIT.length; index++) {
            Rectangle place = fruit.getCellBounds(index, index);
            boolean selected = fruit.isSelectedIndex(index);
            controls.add(control(FRUIT[index].toLowerCase(), "listitem", FRUIT[index], fruit, place, selected));
        }
        controls.add(control("cell", "cell", "r1c1", grid, grid.getCellRect(CELL, CELL, true), false));
        String keys = clicked.stream().map(OracleSwing::quoted).collect(Collectors.joining(", "));
        String version = quoted(System.getProperty("java.version"));
        save("{\"version\": " + version + ", \"controls\": {" + String.join(", ", controls) + "}, \"clicked\": [" + keys
            + "], \"pressed\": " + pressed + ", \"asked\": " + quoted(asked()) + "}");
    }

    private String asked() {
        try {
            return Files.readString(path.resolveSibling(path.getFileName().toString().replace(".json", ".asked")));
        } catch (IOException error) {
            return ""; // nobody asked yet
        }
    }

    private static String name(String key) {
        return Map.of("button", "Press me", "check", "Check me", "name", "Name", "secret", "Secret", "words",
            "Plain words", "volume", "Volume", "hidden", "Hidden", "off", "Off", "fruit", "Fruit", "grid", "Grid")
            .get(key);
    }

    private static String control(
        String key, String role, String name, JComponent widget, Rectangle place, boolean selected) {
        boolean showing = widget.isShowing();
        Point corner = showing ? widget.getLocationOnScreen() : new Point();
        double scale = showing ? widget.getGraphicsConfiguration().getDefaultTransform().getScaleX() : 1;
        int left = corner.x + place.x;
        int top = corner.y + place.y;
        String rect = showing
            ? IntStream.of(left, top, left + place.width, top + place.height)
                .mapToObj(edge -> String.valueOf(Math.round(edge * scale))).collect(Collectors.joining(", "))
            : "0, 0, 0, 0";
        boolean checked = widget instanceof JCheckBox box && box.isSelected();
        String value = widget instanceof JSlider slider ? String.valueOf(slider.getValue()) : "null";
        String text = widget instanceof JTextComponent entry ? quoted(entry.getText())
            : widget instanceof JLabel label ? quoted(label.getText()) : "null";
        return quoted(key) + ": {\"role\": " + quoted(role) + ", \"name\": " + quoted(name) + ", \"rect\": [" + rect
            + "], \"showing\": " + showing + ", \"enabled\": " + widget.isEnabled() + ", \"checked\": " + checked
            + ", \"selected\": " + selected + ", \"value\": " + value + ", \"text\": " + text + "}";
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
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
        SwingUtilities.invokeLater(() -> new OracleSwing(Path.of(arguments[0])));
    }
}
