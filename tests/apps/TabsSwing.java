/**
 * A tree in the second of two tabs, and which row of it is selected in the title: `java TabsSwing.java` compiles and
 * runs it. With `dialog` it is in a dialog of a window.
 */

import java.awt.Window;
import java.util.function.Consumer;
import javax.swing.JDialog;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JScrollPane;
import javax.swing.JSplitPane;
import javax.swing.JTabbedPane;
import javax.swing.JTextArea;
import javax.swing.JTree;
import javax.swing.SwingUtilities;
import javax.swing.tree.DefaultMutableTreeNode;

public class TabsSwing {
    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(() -> {
            if (arguments.length > 0) {
                JFrame owner = new JFrame("Owner");
                owner.setBounds(130, 70, 300, 200);
                owner.setVisible(true);
                JDialog dialog = new JDialog(owner, "Tabs");
                show(dialog, dialog::setTitle);
            } else {
                JFrame frame = new JFrame("Tabs");
                show(frame, frame::setTitle);
            }
        });
    }

    private static void show(Window window, Consumer<String> title) {
        DefaultMutableTreeNode root = new DefaultMutableTreeNode("Root");
        for (int branch = 1; branch < 4; branch++) {
            root.add(new DefaultMutableTreeNode("Branch " + branch));
        }
        JTree tree = new JTree(root);
        tree.addTreeSelectionListener(event -> title.accept("Tabs " + event.getPath().getLastPathComponent()));
        JScrollPane left = new JScrollPane(tree);
        JTabbedPane tabs = new JTabbedPane();
        tabs.addTab("One with a long name", new JLabel("nothing"));
        tabs.addTab("Tree", new JSplitPane(JSplitPane.HORIZONTAL_SPLIT, left, new JScrollPane(new JTextArea("text"))));
        tabs.setSelectedIndex(1);
        window.add(tabs);
        window.setBounds(260, 140, 600, 400);
        window.setVisible(true);
    }
}
