/** The everyday form in Swing: `java EverydaySwing.java STATE_FILE`; its state is as that of `everyday.py`. */

import java.awt.FlowLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.swing.BoxLayout;
import javax.swing.ButtonGroup;
import javax.swing.DefaultListModel;
import javax.swing.JButton;
import javax.swing.JCheckBox;
import javax.swing.JCheckBoxMenuItem;
import javax.swing.JComboBox;
import javax.swing.JComponent;
import javax.swing.JDialog;
import javax.swing.JFileChooser;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JList;
import javax.swing.JMenu;
import javax.swing.JMenuBar;
import javax.swing.JMenuItem;
import javax.swing.JPanel;
import javax.swing.JPasswordField;
import javax.swing.JRadioButton;
import javax.swing.JSlider;
import javax.swing.JSpinner;
import javax.swing.JTabbedPane;
import javax.swing.JTextArea;
import javax.swing.JTextField;
import javax.swing.JToggleButton;
import javax.swing.JToolBar;
import javax.swing.SpinnerNumberModel;
import javax.swing.SwingUtilities;
import javax.swing.Timer;
import javax.swing.event.DocumentEvent;
import javax.swing.event.DocumentListener;
import javax.swing.text.JTextComponent;

public class EverydaySwing implements DocumentListener {
    private static final List<String> FRUIT = List.of("Apple", "Pear", "Plum", "Cherry");
    private static final int LOOK_MS = 30;

    private final Path path;
    private final Map<String, Integer> counts = new LinkedHashMap<>();
    private final JFrame frame = new JFrame("Everyday");
    private final JPanel box = new JPanel();
    private final JLabel result = new JLabel("nothing was pressed yet");
    private final JMenu menu = new JMenu("File");
    private final JCheckBoxMenuItem wrap = new JCheckBoxMenuItem("Wrap lines");
    private final JToggleButton mark = new JToggleButton("Mark");
    private final JCheckBox agree = new JCheckBox("Agree");
    private final JRadioButton small = new JRadioButton("Small");
    private final JRadioButton large = new JRadioButton("Large");
    private final JTextField name = new JTextField("Ada", 24);
    private final JTextArea notes = new JTextArea(3, 24);
    private final JPasswordField secret = new JPasswordField("xyzzy", 24);
    private final JTextField filter = new JTextField(24);
    private final DefaultListModel<String> shown = new DefaultListModel<>();
    private final JList<String> fruit = new JList<>(shown);
    private final JComboBox<String> size = new JComboBox<>(new String[] {"A4", "A5", "Letter"});
    private final JSpinner number = new JSpinner(new SpinnerNumberModel(0, 0, 100, 1));
    private final JSlider volume = new JSlider(0, 100, 0);
    private final JTabbedPane tabs = new JTabbedPane();
    private JDialog dialog = null;
    private JTextField answer = null;
    private String picked = "";
    private String written = "";

    EverydaySwing(Path path) {
        this.path = path;
        Stream.of("pressed", "silent", "counted", "asked").forEach(key -> counts.put(key, 0));
        box.setLayout(new BoxLayout(box, BoxLayout.Y_AXIS));
        addMenu();
        addButtons();
        addTexts();
        addChoices();
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        frame.add(box);
        frame.pack();
        frame.setVisible(true);
        new Timer(LOOK_MS, event -> write()).start();
    }

    private void row(JComponent... parts) {
        JPanel row = new JPanel(new FlowLayout(FlowLayout.LEFT));
        Stream.of(parts).forEach(row::add);
        box.add(row);
    }

    private void labelled(String text, JComponent widget) {
        JLabel label = new JLabel(text);
        label.setLabelFor(widget);
        row(label, widget);
    }

    private void addMenu() {
        JMenuItem count = new JMenuItem("Count up");
        JMenuItem ask = new JMenuItem("Ask");
        count.addActionListener(event -> press("counted"));
        ask.addActionListener(event -> ask());
        menu.add(count);
        menu.add(wrap);
        menu.add(ask);
        JMenuBar bar = new JMenuBar();
        bar.add(menu);
        frame.setJMenuBar(bar);
    }

    private void addButtons() {
        JButton press = new JButton("Press me");
        JButton silent = new JButton("Silent");
        press.addActionListener(event -> press("pressed"));
        silent.addActionListener(event -> counts.merge("silent", 1, Integer::sum));
        JButton pick = new JButton("Pick");
        pick.addActionListener(event -> pick());
        ButtonGroup group = new ButtonGroup();
        group.add(small);
        group.add(large);
        row(press, silent, mark, pick, result);
        row(agree, small, large);
    }

    private void pick() {
        JFileChooser chooser = new JFileChooser();
        chooser.setDialogTitle("Pick a file");
        if (chooser.showOpenDialog(frame) == JFileChooser.APPROVE_OPTION) {
            picked = chooser.getSelectedFile().getName();
        }
    }

    private void press(String key) {
        result.setText(key + " " + counts.merge(key, 1, Integer::sum));
    }

    private void addTexts() {
        labelled("Name", name);
        labelled("Notes", notes);
        labelled("Secret", secret);
        filter.getAccessibleContext().setAccessibleName("Filter");
        JToolBar bar = new JToolBar("Tools");
        bar.add(filter);
        box.add(bar);
        filter.getDocument().addDocumentListener(this);
    }

    private void addChoices() {
        shown.addAll(FRUIT);
        fruit.getAccessibleContext().setAccessibleName("Fruit");
        box.add(fruit);
        labelled("Size", size);
        labelled("Count", number);
        labelled("Volume", volume);
        tabs.addTab("One", new JLabel("Page One"));
        tabs.addTab("Two", new JLabel("Page Two"));
        box.add(tabs);
    }

    private void ask() {
        dialog = new JDialog(frame, "Question", true);
        answer = new JTextField(16);
        JButton take = new JButton("Take");
        JLabel label = new JLabel("Answer");
        label.setLabelFor(answer);
        take.addActionListener(event -> {
            press("asked");
            dialog.dispose();
            dialog = null;
        });
        JPanel inside = new JPanel();
        Stream.of(label, answer, take).forEach(inside::add);
        dialog.add(inside);
        dialog.pack();
        dialog.setVisible(true);
    }

    private void refilter() {
        shown.clear();
        shown.addAll(FRUIT.stream().filter(each -> each.contains(filter.getText())).collect(Collectors.toList()));
    }

    @Override
    public void insertUpdate(DocumentEvent event) {
        refilter();
    }

    @Override
    public void removeUpdate(DocumentEvent event) {
        refilter();
    }

    @Override
    public void changedUpdate(DocumentEvent event) {
        refilter();
    }

    private void write() {
        Map<String, String> state = new LinkedHashMap<>();
        counts.forEach((key, count) -> state.put(key, count.toString()));
        state.put("mark", "" + mark.isSelected());
        state.put("agree", "" + agree.isSelected());
        state.put("radio", texts(Stream.of(small, large).filter(each -> each.isSelected()).map(each -> each.getText())));
        state.put("name", quoted(name.getText()));
        state.put("caret", caret(name));
        state.put("notes", quoted(notes.getText()));
        state.put("notes_selected", "" + (notes.getSelectionStart() != notes.getSelectionEnd()));
        state.put("secret", quoted(new String(secret.getPassword())));
        state.put("filter", quoted(filter.getText()));
        state.put("shown", texts(shown.elements().asIterator()));
        state.put("fruit", texts(fruit.getSelectedValuesList().stream()));
        state.put("size", quoted((String) size.getSelectedItem()));
        state.put("count", number.getValue().toString());
        state.put("volume", "" + volume.getValue());
        state.put("tab", quoted(tabs.getTitleAt(tabs.getSelectedIndex())));
        state.put("menu", "" + menu.isPopupMenuVisible());
        state.put("wrap", "" + wrap.isSelected());
        state.put("dialog", "" + (dialog != null));
        state.put("answer", quoted(dialog != null ? answer.getText() : ""));
        state.put("picked", quoted(picked));
        state.put("focus", quoted(String.valueOf(System.identityHashCode(frame.getMostRecentFocusOwner()))));
        save(state.entrySet().stream().map(each -> quoted(each.getKey()) + ": " + each.getValue())
            .collect(Collectors.joining(", ", "{", "}")));
    }

    private static String caret(JTextComponent field) {
        return "[" + field.getSelectionStart() + ", " + field.getSelectionEnd() + "]";
    }

    private static String texts(java.util.Iterator<String> found) {
        return texts(Stream.iterate(found, each -> each.hasNext(), each -> each).map(each -> each.next()));
    }

    private static String texts(Stream<String> found) {
        return found.map(EverydaySwing::quoted).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    private void save(String text) {
        if (text.equals(written)) {
            return;
        }
        written = text;
        try {
            Path draft = path.resolveSibling(path.getFileName() + ".new");
            Files.writeString(draft, text);
            Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(() -> new EverydaySwing(Path.of(arguments[0])));
    }
}
